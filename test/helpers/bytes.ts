/** Assembles bytes, little-endian. Numbers that are not known yet are patched in afterwards. */
export class ByteWriter {
  #bytes: number[] = [];

  get length(): number {
    return this.#bytes.length;
  }

  u8(...values: number[]): this {
    for (const value of values) this.#bytes.push(value & 0xff);
    return this;
  }

  u16(value: number): this {
    return this.u8(value, value >>> 8);
  }

  u32(...values: number[]): this {
    for (const value of values) this.u8(value, value >>> 8, value >>> 16, value >>> 24);
    return this;
  }

  u64(...values: (number | bigint)[]): this {
    for (const value of values) {
      const word = BigInt.asUintN(64, BigInt(value));
      this.u32(Number(word & 0xffffffffn), Number(word >> 32n));
    }
    return this;
  }

  /** Unsigned LEB128. */
  varint(value: number): this {
    let rest = value;
    while (rest >= 0x80) {
      this.u8((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    return this.u8(rest);
  }

  append(bytes: Iterable<number>): this {
    for (const byte of bytes) this.#bytes.push(byte);
    return this;
  }

  /** Latin-1, without a NUL. */
  text(text: string): this {
    return this.u8(...Array.from(text, (character) => character.charCodeAt(0)));
  }

  cstring(text: string): this {
    return this.text(text).u8(0);
  }

  align(multiple: number): this {
    while (this.#bytes.length % multiple !== 0) this.#bytes.push(0);
    return this;
  }

  /** Zeros up to an offset. */
  padTo(offset: number): this {
    if (this.#bytes.length > offset) throw new RangeError(`at ${this.#bytes.length}, behind ${offset}`);
    while (this.#bytes.length < offset) this.#bytes.push(0);
    return this;
  }

  finish(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}
