/** Tables of a merge's result, which the kernel writes as columns behind one another: see kernels/merge/finish.ts. */
import type { FunctionTable, LocationTable, MappingTable, SampleTable, StringTable } from '../profile.js';
import type { MergeKernel } from './kernel.js';

type TypedArrayOf<Column> = new (buffer: ArrayBuffer, at: number, length: number) => Column;

/** @returns copies the next column each time that it is called */
function columnsAt(kernel: MergeKernel, address: number) {
  let at = address >>> 0;
  return <Column extends ArrayBufferView>(type: TypedArrayOf<Column>, length: number): Column => {
    const { byteLength } = kernel.view(type, at, length);
    const bytes = kernel.copy(at, byteLength);
    at += byteLength;
    return new type(bytes.buffer, 0, length);
  };
}

/** The order of the result's samples: everything else follows from it. */
export function orderSamples(kernel: MergeKernel, typeCount: number): void {
  const { compareInputs, inputCount, orderSamples: order } = kernel.exports;
  const inputs = Int32Array.from({ length: inputCount() }, (_, row) => row).sort(compareInputs);
  const ranks = new Int32Array(inputs.length);
  let rank = 0;
  for (let i = 1; i < inputs.length; i++) {
    // Inputs that are the same bytes have the same rank.
    if (compareInputs(inputs[i - 1]!, inputs[i]!) !== 0) rank++;
    ranks[inputs[i]!] = rank;
  }
  kernel.withWords([ranks], (words) => order(kernel.view(Int32Array, words, 1)[0]!, typeCount));
}

export function finishSamples(kernel: MergeKernel, typeCount: number): SampleTable {
  const { exports } = kernel;
  const length = exports.resultSamples();
  const stackStart = columnsAt(kernel, exports.writeStackStarts())(Uint32Array, length + 1);
  const stackLocations = newColumn(Uint32Array, stackStart[length]!);
  const values = newColumn(BigInt64Array, length * typeCount);
  for (const { from, to, first, count } of parts(length, 4, (row) => stackStart[row]!)) {
    stackLocations.set(kernel.view(Uint32Array, exports.writeStacks(from, to, count), count), first);
    const sums = exports.writeValues(typeCount, from, to);
    values.set(kernel.view(BigInt64Array, sums, (to - from) * typeCount), from * typeCount);
  }
  const labelStart = columnsAt(kernel, exports.writeLabelStarts(placeLabelKeys(kernel)))(Uint32Array, length + 1);
  return { length, stackStart, stackLocations, values, labelStart, labels: finishLabels(kernel, labelStart) };
}

function finishLabels(kernel: MergeKernel, labelStart: Uint32Array): SampleTable['labels'] {
  const length = labelStart.at(-1)!;
  const num = newColumn(BigInt64Array, length);
  const [key, str, numUnit] = [0, 1, 2].map(() => newColumn(Uint32Array, length));
  for (const { from, to, first, count } of parts(labelStart.length - 1, 20, (row) => labelStart[row]!)) {
    let at = kernel.exports.writeLabels(from, to, count) >>> 0;
    num.set(kernel.view(BigInt64Array, at, count), first);
    at += 8 * count;
    for (const column of [key!, str!, numUnit!]) {
      column.set(kernel.view(Uint32Array, at, count), first);
      at += 4 * count;
    }
  }
  return { length, key: key!, str: str!, num, numUnit: numUnit! };
}

/** Not cleared before it is written. */
function newColumn<Column>(
  type: TypedArrayOf<Column> & { readonly BYTES_PER_ELEMENT: number },
  length: number,
): Column {
  return new type(Buffer.allocUnsafeSlow(length * type.BYTES_PER_ELEMENT).buffer, 0, length);
}

/** Of what samples have, as much as stays in the processor's caches: not more, unless it is one sample's. */
const PART_BYTES = 2 ** 18;

interface Part {
  /** Rows of samples. */
  readonly from: number;
  readonly to: number;
  /** The entries that they have. */
  readonly first: number;
  readonly count: number;
}

/** @param entryBytes of an entry @param startOf where the entries of a row start, also of the row behind all */
function* parts(length: number, entryBytes: number, startOf: (row: number) => number): Generator<Part> {
  for (let from = 0; from < length; ) {
    const first = startOf(from);
    let to = from + 1;
    while (to < length && (startOf(to + 1) - first) * entryBytes <= PART_BYTES) to++;
    yield { from, to, first, count: startOf(to) - first };
    from = to;
  }
}

/** Puts the place of each label key, in the order of their bytes, at the words that the kernel marks keys in. @returns their address */
function placeLabelKeys(kernel: MergeKernel): number {
  const { compareStrings, labelKeys, stringCount } = kernel.exports;
  const address = labelKeys();
  const places = kernel.view(Int32Array, address, stringCount());
  const keys: number[] = [];
  for (let row = places.indexOf(1); row >= 0; row = places.indexOf(1, row + 1)) keys.push(row);
  keys.sort(compareStrings);
  for (const [place, key] of keys.entries()) places[key] = place;
  return address;
}

export function finishLocations(kernel: MergeKernel): LocationTable {
  const { exports } = kernel;
  const length = exports.resultLocations();
  const column = columnsAt(kernel, exports.writeLocations());
  const address = column(BigUint64Array, length);
  const mapping = column(Uint32Array, length);
  const lineStart = column(Uint32Array, length + 1);
  const isFolded = column(Uint8Array, length);
  return { length, mapping, address, isFolded, lineStart, lines: finishLines(kernel) };
}

function finishLines(kernel: MergeKernel): LocationTable['lines'] {
  const { exports } = kernel;
  const length = exports.resultLines();
  const ofLines = columnsAt(kernel, exports.writeLines(length));
  const line = ofLines(BigInt64Array, length);
  const column = ofLines(BigInt64Array, length);
  const inFunction = ofLines(Uint32Array, length);
  return { length, function: inFunction, line, column: column.some((value) => value !== 0n) ? column : undefined };
}

export function finishFunctions(kernel: MergeKernel): FunctionTable {
  const { exports } = kernel;
  const length = exports.resultFunctions();
  const column = columnsAt(kernel, exports.writeFunctions());
  const startLine = column(BigInt64Array, length);
  const name = column(Uint32Array, length);
  const systemName = column(Uint32Array, length);
  return { length, name, systemName, filename: column(Uint32Array, length), startLine };
}

export function finishMappings(kernel: MergeKernel): MappingTable {
  const { exports } = kernel;
  const length = exports.resultMappings();
  const column = columnsAt(kernel, exports.writeMappings());
  return {
    length,
    memoryStart: column(BigUint64Array, length),
    memoryLimit: column(BigUint64Array, length),
    fileOffset: column(BigUint64Array, length),
    filename: column(Uint32Array, length),
    buildId: column(Uint32Array, length),
    flags: column(Uint8Array, length),
  };
}

/** Nothing is numbered after it. */
export function finishStrings(kernel: MergeKernel): StringTable {
  const { exports } = kernel;
  const length = exports.resultStrings();
  const byteCount = exports.resultStringBytes() >>> 0;
  const column = columnsAt(kernel, exports.writeStrings(byteCount));
  const starts = column(Uint32Array, length + 1);
  return { length, bytes: column(Uint8Array, byteCount), starts };
}
