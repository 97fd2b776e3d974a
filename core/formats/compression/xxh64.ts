/**
 * XXH64 with seed 0, over pieces: the checksum of zstd frames. Source: xxhash.com, doc/xxhash_spec.md (0.1.1).
 * 64-bit words are pairs of 32-bit halves (low, high), since bigint arithmetic would be slower than the decompression.
 */

/** The five primes of the specification, as low and high halves. */
const P1_LO = 0x85ebca87;
const P1_HI = 0x9e3779b1;
const P2_LO = 0x27d4eb4f;
const P2_HI = 0xc2b2ae3d;
const P3_LO = 0x9e3779f9;
const P3_HI = 0x165667b1;
const P4_LO = 0xc2b2ae63;
const P4_HI = 0x85ebca77;
const P5_LO = 0x165667c5;
const P5_HI = 0x27d4eb2f;

const STRIPE_BYTES = 32;

export class Xxh64 {
  /** Four accumulators: low halves at 0, 2, 4, 6, high halves behind each. */
  readonly #acc = new Uint32Array([0, 0, P2_LO, P2_HI, 0, 0, 0, 0]);
  readonly #tail = new Uint8Array(STRIPE_BYTES);
  #tailLength = 0;
  #length = 0;
  /** Result of the last 64-bit operation. */
  #lo = 0;
  #hi = 0;

  constructor() {
    this.#set(P1_LO, P1_HI);
    this.#add(P2_LO, P2_HI);
    this.#store(0);
    this.#set(0, 0);
    this.#add(~P1_LO, ~P1_HI);
    this.#add(1, 0);
    this.#store(3);
  }

  update(bytes: Uint8Array): void {
    this.#length += bytes.length;
    let at = 0;
    if (this.#tailLength > 0) {
      at = Math.min(STRIPE_BYTES - this.#tailLength, bytes.length);
      this.#tail.set(bytes.subarray(0, at), this.#tailLength);
      this.#tailLength += at;
      if (this.#tailLength < STRIPE_BYTES) return;
      this.#stripe(this.#tail, 0);
      this.#tailLength = 0;
    }
    for (; at + STRIPE_BYTES <= bytes.length; at += STRIPE_BYTES) this.#stripe(bytes, at);
    this.#tail.set(bytes.subarray(at));
    this.#tailLength = bytes.length - at;
  }

  /** The low 32 bits of the hash of everything so far: what zstd stores. */
  digestLow32(): number {
    const acc = this.#acc;
    if (this.#length >= STRIPE_BYTES) {
      let lo = 0;
      let hi = 0;
      for (const [lane, bits] of [1, 7, 12, 18].entries()) {
        this.#set(acc[lane * 2]!, acc[lane * 2 + 1]!);
        this.#rotate(bits);
        this.#add(lo, hi);
        lo = this.#lo;
        hi = this.#hi;
      }
      for (let lane = 0; lane < 4; lane++) {
        this.#set(0, 0);
        this.#round(acc[lane * 2]!, acc[lane * 2 + 1]!);
        this.#set(this.#lo ^ lo, this.#hi ^ hi);
        this.#multiply(P1_LO, P1_HI);
        this.#add(P4_LO, P4_HI);
        lo = this.#lo;
        hi = this.#hi;
      }
    } else {
      this.#set(P5_LO, P5_HI);
    }
    this.#add(this.#length >>> 0, Math.floor(this.#length / 2 ** 32));
    this.#addTail();
    this.#shiftXor(33);
    this.#multiply(P2_LO, P2_HI);
    this.#shiftXor(29);
    this.#multiply(P3_LO, P3_HI);
    this.#shiftXor(32);
    return this.#lo >>> 0;
  }

  #addTail(): void {
    const tail = this.#tail;
    let at = 0;
    for (; at + 8 <= this.#tailLength; at += 8) {
      const [lo, hi] = [this.#lo, this.#hi];
      this.#set(0, 0);
      this.#round(word(tail, at), word(tail, at + 4));
      this.#set(this.#lo ^ lo, this.#hi ^ hi);
      this.#rotate(27);
      this.#multiply(P1_LO, P1_HI);
      this.#add(P4_LO, P4_HI);
    }
    if (at + 4 <= this.#tailLength) {
      const [lo, hi] = [this.#lo, this.#hi];
      this.#set(word(tail, at), 0);
      this.#multiply(P1_LO, P1_HI);
      this.#set(this.#lo ^ lo, this.#hi ^ hi);
      this.#rotate(23);
      this.#multiply(P2_LO, P2_HI);
      this.#add(P3_LO, P3_HI);
      at += 4;
    }
    for (; at < this.#tailLength; at++) {
      const [lo, hi] = [this.#lo, this.#hi];
      this.#set(tail[at]!, 0);
      this.#multiply(P5_LO, P5_HI);
      this.#set(this.#lo ^ lo, this.#hi ^ hi);
      this.#rotate(11);
      this.#multiply(P1_LO, P1_HI);
    }
  }

  #stripe(bytes: Uint8Array, at: number): void {
    const acc = this.#acc;
    for (let lane = 0; lane < 4; lane++) {
      this.#set(acc[lane * 2]!, acc[lane * 2 + 1]!);
      this.#round(word(bytes, at + lane * 8), word(bytes, at + lane * 8 + 4));
      this.#store(lane);
    }
  }

  /** current = rotl(current + lane · P2, 31) · P1 */
  #round(laneLo: number, laneHi: number): void {
    const [lo, hi] = [this.#lo, this.#hi];
    this.#set(laneLo, laneHi);
    this.#multiply(P2_LO, P2_HI);
    this.#add(lo, hi);
    this.#rotate(31);
    this.#multiply(P1_LO, P1_HI);
  }

  #store(lane: number): void {
    this.#acc[lane * 2] = this.#lo;
    this.#acc[lane * 2 + 1] = this.#hi;
  }

  #set(lo: number, hi: number): void {
    this.#lo = lo | 0;
    this.#hi = hi | 0;
  }

  #add(lo: number, hi: number): void {
    const sum = (this.#lo >>> 0) + (lo >>> 0);
    this.#hi = (this.#hi + hi + (sum > 0xffffffff ? 1 : 0)) | 0;
    this.#lo = sum | 0;
  }

  #multiply(lo: number, hi: number): void {
    const a0 = this.#lo & 0xffff;
    const a1 = this.#lo >>> 16;
    const b0 = lo & 0xffff;
    const b1 = lo >>> 16;
    const p00 = Math.imul(a0, b0);
    const p01 = Math.imul(a0, b1);
    const p10 = Math.imul(a1, b0);
    const middle = (p00 >>> 16) + (p01 & 0xffff) + (p10 & 0xffff);
    const carry = Math.imul(a1, b1) + (p01 >>> 16) + (p10 >>> 16) + (middle >>> 16);
    this.#hi = (carry + Math.imul(this.#lo, hi) + Math.imul(this.#hi, lo)) | 0;
    this.#lo = (p00 & 0xffff) | (middle << 16);
  }

  /** Left by 1 … 31 bits. */
  #rotate(bits: number): void {
    const lo = (this.#lo << bits) | (this.#hi >>> (32 - bits));
    this.#hi = (this.#hi << bits) | (this.#lo >>> (32 - bits));
    this.#lo = lo;
  }

  /** current ^= current >>> bits, for 29, 32 and 33 bits. */
  #shiftXor(bits: number): void {
    const lo = bits < 32 ? (this.#lo >>> bits) | (this.#hi << (32 - bits)) : this.#hi >>> (bits - 32);
    const hi = bits < 32 ? this.#hi >>> bits : 0;
    this.#lo ^= lo;
    this.#hi ^= hi;
  }
}

function word(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}
