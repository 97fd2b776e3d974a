/**
 * Seeded mutation of bytes, and the loop around a fuzz target: `node dist/test/fuzz/<target>.js --count N --seed S`.
 * The same seed gives the same mutants on every machine. Prints one closing line; exits with 1 on a violation, whose mutant is
 * written to the folder for temporary files.
 */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** xorshift32. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ 0x85ebca6b) >>> 0 || 1;
  }

  /** An integer from 0 to below `limit`. */
  below(limit: number): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state >>> 0;
    return this.#state % limit;
  }

  pick<Item>(list: readonly Item[]): Item {
    return list[this.below(list.length)]!;
  }
}

/** A valid input to start from. */
export interface FuzzSeed {
  readonly bytes: Uint8Array;
  /** [start, end): where half of the edits go, such as headers. */
  readonly hot?: readonly (readonly [start: number, end: number])[];
}

/** Values that lengths, counts and offsets are set to. */
const WORDS = [
  0n,
  1n,
  2n,
  7n,
  0x7fn,
  0x80n,
  0xffn,
  0xffffn,
  0x10000n,
  0x7fffffffn,
  0x80000000n,
  0xffffffffn,
  1n << 32n,
];
const LARGE_WORDS = [(1n << 53n) - 1n, 1n << 53n, 1n << 62n, (1n << 63n) - 1n, 1n << 63n, (1n << 64n) - 1n];

/** One to eight edits of a copy: bits, bytes, words, and pieces cut, doubled, moved or dropped. */
export function mutate(seed: FuzzSeed, random: Random): Uint8Array {
  // Not slice(): that of a Buffer shares its memory.
  let bytes: Uint8Array = new Uint8Array(seed.bytes);
  for (let edits = 1 + random.below(8); edits > 0 && bytes.length > 0; edits--) {
    bytes = edit(bytes, position(bytes, seed, random), random);
  }
  return bytes;
}

function position(bytes: Uint8Array, { hot }: FuzzSeed, random: Random): number {
  if (hot === undefined || hot.length === 0 || random.below(2) === 0) return random.below(bytes.length);
  const [start, end] = random.pick(hot);
  return Math.min(start + random.below(end - start), bytes.length - 1);
}

function edit(bytes: Uint8Array, at: number, random: Random): Uint8Array {
  const length = 1 + random.below(Math.min(64, bytes.length - at));
  switch (random.below(9)) {
    case 0:
      bytes[at]! ^= 1 << random.below(8);
      return bytes;
    case 1:
      bytes[at] = random.below(256);
      return bytes;
    case 2:
    case 3:
    case 4:
      setWord(bytes, at, random);
      return bytes;
    case 5:
      return bytes.subarray(0, at);
    case 6:
      return concat(bytes.subarray(0, at), bytes.subarray(at + length));
    case 7:
      return concat(bytes.subarray(0, at + length), bytes.subarray(at));
    default:
      bytes.copyWithin(random.below(bytes.length), at, at + length);
      return bytes;
  }
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(a.length + b.length);
  bytes.set(a);
  bytes.set(b, a.length);
  return bytes;
}

/** A word of 2, 4 or 8 bytes at its natural place: a value from the lists, or the old one and a little. */
function setWord(bytes: Uint8Array, at: number, random: Random): void {
  const width = random.pick([2, 4, 8]);
  const offset = at - (at % width);
  if (offset + width > bytes.length) return;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const small = BigInt(random.below(33) - 16);
  const word = random.pick([
    ...WORDS,
    ...LARGE_WORDS,
    BigInt(bytes.length),
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  if (width === 8)
    view.setBigUint64(offset, BigInt.asUintN(64, (word ?? view.getBigUint64(offset, true)) + small), true);
  else if (width === 4) view.setUint32(offset, Number((word ?? BigInt(view.getUint32(offset, true))) + small), true);
  else view.setUint16(offset, Number((word ?? BigInt(view.getUint16(offset, true))) + small), true);
}

export interface FuzzTarget {
  readonly name: string;
  readonly seeds: readonly FuzzSeed[];
  /** Reads the bytes and all that is in them. @throws what `isAllowed` says yes to, for bytes that are spoilt */
  run(bytes: Uint8Array): void | Promise<void>;
  isAllowed(error: unknown): boolean;
  /** Longest time for one input, on a processor: others may keep the machine busy. */
  readonly maxMs: number;
}

/** Checks that every seed passes, then `--count` mutants. Sets the process' exit code. */
export async function fuzz(target: FuzzTarget): Promise<void> {
  const { values } = parseArgs({
    options: { count: { type: 'string', default: '5000' }, seed: { type: 'string', default: '1' } },
  });
  const random = new Random(Number(values.seed));
  for (const { bytes } of target.seeds) await target.run(bytes);
  let refused = 0;
  let slowestMs = 0;
  const count = Number(values.count);
  for (let mutant = 0; mutant < count; mutant++) {
    const bytes = mutate(random.pick(target.seeds), random);
    const clock = performance.now();
    const processor = process.cpuUsage();
    let violation: string | undefined;
    try {
      await target.run(bytes);
    } catch (error) {
      if (target.isAllowed(error)) refused++;
      else violation = error instanceof Error ? (error.stack ?? error.message) : String(error);
    }
    const { user, system } = process.cpuUsage(processor);
    // Less than the processor's time too: V8 has threads of its own.
    const ms = Math.min(performance.now() - clock, (user + system) / 1000);
    slowestMs = Math.max(slowestMs, ms);
    if (ms > target.maxMs) violation ??= `took ${ms.toFixed(0)} ms (limit ${target.maxMs})`;
    if (violation === undefined) continue;
    const path = join(tmpdir(), `fuzz-${target.name}-${values.seed}-${mutant}`);
    writeFileSync(path, bytes);
    console.error(`${target.name}: mutant ${mutant} of seed ${values.seed}, kept as ${path}\n${violation}`);
    process.exitCode = 1;
    return;
  }
  console.log(`${target.name}: ${count} mutants, ${refused} refused, slowest ${slowestMs.toFixed(0)} ms, no violation`);
}
