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
  const frameCount = exports.resultFrames();
  const ofStacks = columnsAt(kernel, exports.writeStacks(frameCount));
  const stackStart = ofStacks(Uint32Array, length + 1);
  const stackLocations = ofStacks(Uint32Array, frameCount);
  const values = columnsAt(kernel, exports.writeValues(typeCount))(BigInt64Array, length * typeCount);
  const count = exports.resultLabels();
  const ofLabels = columnsAt(kernel, exports.writeLabels(count, placeLabelKeys(kernel)));
  const num = ofLabels(BigInt64Array, count);
  const labelStart = ofLabels(Uint32Array, length + 1);
  const key = ofLabels(Uint32Array, count);
  const str = ofLabels(Uint32Array, count);
  const numUnit = ofLabels(Uint32Array, count);
  const labels = { length: count, key, str, num, numUnit };
  return { length, stackStart, stackLocations, values, labelStart, labels };
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
