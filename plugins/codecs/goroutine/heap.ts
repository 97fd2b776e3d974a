/**
 * The heap, as `/debug/pprof/heap?debug=1` and `allocs?debug=1` write it. Objects and bytes are those that were sampled; here they
 * are what they stand for, as in google/pprof and in Go's own pprof.
 *
 *     heap profile: 3: 49408 [5: 65792] @ heap/1048576      in use: objects, bytes [allocated: objects, bytes], 2 × rate
 *     1: 32768 [2: 65536] @ 0x4a1f3c 0x4a1ea5 0x43a0e7      of this stack; all objects of a stack line have one size
 *     #   0x4a1f3b    main.keep+0x7b    /src/main.go:12
 *
 *     # runtime.MemStats
 *     # Alloc = 175632
 *
 * Addresses of the runtime at the leaf have no names here, and are not there in Go's own pprof: they are left out.
 *
 * Source: go1.16 … go1.27 runtime/pprof/pprof.go writeHeapInternal; google/pprof profile/legacy_profile.go parseHeap.
 */
import { FormatError, type ProfileHeader, type ValueTypeSpec } from '../../../core/index.js';
import { heapHeader } from './forms.js';
import { type Line, lineError } from './lines.js';
import { ADDRESSES, parseAddresses, type StackForm, type StackLine } from './stack-form.js';

const stackLine = new RegExp(`^(-?\\d{1,18}): *(-?\\d{1,18}) *\\[ *(\\d{1,18}): *(\\d{1,18}) *\\] @${ADDRESSES}$`);

const types = (prefix: string): ValueTypeSpec[] => [
  { type: `${prefix}objects`, unit: 'count' },
  { type: `${prefix}space`, unit: 'bytes' },
];

export class HeapForm implements StackForm {
  readonly merges = false;
  readonly hidesRuntime = true;
  /** Bytes allocated for each sample, on average. */
  #rate = 0n;
  #hasAllocated = false;
  #objects = 0n;

  get total() {
    return { what: 'objects', count: this.#objects };
  }

  get header(): ProfileHeader {
    return {
      sampleTypes: this.#hasAllocated ? [...types('alloc_'), ...types('inuse_')] : types(''),
      periodType: { type: 'space', unit: 'bytes' },
      period: this.#rate,
    };
  }

  readHeader(line: Line): void {
    const match = heapHeader.exec(line.text);
    if (match === null) throw lineError(line, '"heap profile: N: BYTES [N: BYTES] @ heap/RATE"');
    const [inUseObjects, inUseBytes, objects, bytes, twiceRate] = match.slice(1).map(BigInt) as [
      bigint,
      bigint,
      bigint,
      bigint,
      bigint,
    ];
    this.#rate = twiceRate / 2n;
    this.#objects = objects;
    this.#hasAllocated = (objects !== inUseObjects && objects !== 0n) || (bytes !== inUseBytes && bytes !== 0n);
  }

  readStack(line: Line): StackLine {
    const match = stackLine.exec(line.text);
    if (match === null) throw lineError(line, '"N: BYTES [N: BYTES] @ 0xADDRESS…"');
    const [inUseObjects, inUseBytes, objects, bytes] = match.slice(1, 5).map(BigInt) as [
      bigint,
      bigint,
      bigint,
      bigint,
    ];
    const allocated = this.#hasAllocated ? this.#unsampled(objects, bytes, line) : [];
    const inUse = this.#unsampled(inUseObjects, inUseBytes, line);
    const size = inUseObjects !== 0n ? inUseBytes / inUseObjects : objects !== 0n ? bytes / objects : 0n;
    return {
      count: objects,
      values: [...allocated, ...inUse],
      labels: [{ key: 'bytes', num: size }],
      addresses: parseAddresses(match[5]!),
    };
  }

  /** An object of `size` bytes is sampled with probability 1 − e^(−size/rate). */
  #unsampled(objects: bigint, bytes: bigint, line: Line): readonly [objects: bigint, bytes: bigint] {
    if (objects === 0n && bytes !== 0n) throw lineError(line, 'objects where there are bytes');
    if (objects === 0n || bytes === 0n) return [0n, 0n];
    if (this.#rate <= 1n) return [objects, bytes];
    const size = Number(bytes) / Number(objects);
    const scale = 1 / (1 - Math.exp(-size / Number(this.#rate)));
    return [truncated(Number(objects) * scale, line), truncated(Number(bytes) * scale, line)];
  }
}

/** @throws FormatError E_OVERFLOW */
export function truncated(value: number, line: Line): bigint {
  if (!(Math.abs(value) < 2 ** 63))
    throw new FormatError('E_OVERFLOW', 'the value is beyond 64 bits', { section: `line ${line.number}`, got: value });
  return BigInt(Math.trunc(value));
}
