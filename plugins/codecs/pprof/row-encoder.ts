/** kernels/encode and its memory: columns of some rows are put in, encoded, and the bytes given away. */
import { defineKernel, type KernelExports, type StringTable } from '../../../core/index.js';
import { CHILD, FIELDS, ID, PACKED_REFERENCES, PACKED_WIDE, RAW, REFERENCE } from './encode-codes.js';
import { encodeKernel } from './encode-kernel.gen.js';
import type { FieldColumn, MessageColumns, UnknownRows } from './message-columns.js';
import type { Address } from './staged.js';

/** What kernels/encode/index.ts exports. */
interface EncodeExports extends KernelExports {
  readonly allocate: (bytes: number) => Address;
  readonly releaseAll: () => void;
  readonly encodeRows: (message: number, tag: number, from: number, to: number, output: Address) => Address;
  readonly encodeStrings: (
    tag: number,
    starts: Address,
    bytes: Address,
    from: number,
    to: number,
    output: Address,
  ) => Address;
  readonly fields: { readonly value: Address };
  readonly counts: { readonly value: Address };
}

/** Rows that are encoded at once, unless they are large. */
const ROWS = 2048;
/** Bytes that they may become, unless a single one may become more. */
const OUTPUT_BYTES = 2 ** 20;
/** The longest varint; a field below 16; tag and length of a nested message. */
const VARINT_BYTES = 10;
const FIELD_BYTES = 11;
const MESSAGE_BYTES = 6;
/** The kernel reads and writes words, whatever it needs of them. */
const SLACK_BYTES = 16;
/** Words of a Field of kernels/encode/fields.ts. */
const FIELD_WORDS = 8;

const instantiate = defineKernel<EncodeExports>('encode', encodeKernel);

/** Of this thread: it keeps nothing from one block to the next. */
let kernel: EncodeExports | undefined;

type Column = NonNullable<FieldColumn['column']>;

/**
 * Messages of all rows, in blocks that are good until the next one is asked for.
 * @param tag of the profile's field that they are
 */
export function* encodeTable(columns: MessageColumns, tag: number): Generator<Uint8Array, void, undefined> {
  for (let from = 0, to = 0; from < columns.length; from = to) {
    to = Math.min(from + ROWS, columns.length);
    while (to - from > 1 && sizeLimit(columns, from, to) > OUTPUT_BYTES) to = from + ((to - from) >>> 1);
    kernel ??= instantiate();
    kernel.releaseAll();
    const described: (() => void)[] = [];
    place(kernel, columns, from, to, described);
    const output = kernel.allocate(sizeLimit(columns, from, to) + SLACK_BYTES) >>> 0;
    for (const describe of described) describe();
    const end = kernel.encodeRows(columns.message, tag, from, to, output) >>> 0;
    yield new Uint8Array(kernel.memory.buffer, output, end - output);
  }
}

/** The same of strings. */
export function* encodeStrings(strings: StringTable, tag: number): Generator<Uint8Array, void, undefined> {
  const { length, starts, bytes } = strings;
  for (let from = 0, to = 0; from < length; from = to) {
    to = Math.min(from + ROWS, length);
    while (to - from > 1 && starts[to]! - starts[from]! > OUTPUT_BYTES) to = from + ((to - from) >>> 1);
    kernel ??= instantiate();
    kernel.releaseAll();
    const [first, last] = [starts[from]!, starts[to]!];
    const startsAt = put(kernel, starts, from, to + 1);
    const bytesAt = put(kernel, bytes, first, last);
    const output = kernel.allocate((to - from) * MESSAGE_BYTES + last - first + SLACK_BYTES) >>> 0;
    const end = kernel.encodeStrings(tag, startsAt, bytesAt, from, to, output) >>> 0;
    yield new Uint8Array(kernel.memory.buffer, output, end - output);
  }
}

/** Bytes that rows become at most. */
function sizeLimit({ fields, unknown }: MessageColumns, from: number, to: number): number {
  let bytes = (to - from) * MESSAGE_BYTES;
  for (const { kind, starts, child, parameter } of fields) {
    if (kind === CHILD) bytes += sizeLimit(child!, starts![from]!, starts![to]!);
    else if (kind === PACKED_REFERENCES) {
      bytes += (to - from) * MESSAGE_BYTES + (starts![to]! - starts![from]!) * VARINT_BYTES;
    } else if (kind === PACKED_WIDE) bytes += (to - from) * (MESSAGE_BYTES + parameter! * VARINT_BYTES);
    else bytes += (to - from) * FIELD_BYTES;
  }
  if (unknown === undefined) return bytes;
  return bytes + unknownStart(unknown, to) - unknownStart(unknown, from);
}

/** Offset of the first unknown field of a row or of one behind it, in the bytes of all. */
function unknownStart({ fields, from, to }: UnknownRows, row: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (fields.row[middle]! < row) low = middle + 1;
    else high = middle;
  }
  return fields.starts[low]!;
}

/** A field as kernels/encode/fields.ts has it: kind, tag, and the addresses and numbers behind them there. */
type Description = [kind: number, tag: number, column: Address, starts: Address, ids: Address, parameter: number];

/** Puts what rows have into the memory. @param described takes what writes it down, for when nothing more is put in */
function place(
  exports: EncodeExports,
  { message, fields, unknown }: MessageColumns,
  from: number,
  to: number,
  described: (() => void)[],
): void {
  const descriptions = fields.map((field) => placeField(exports, field, from, to, described));
  if (unknown !== undefined) descriptions.push(placeUnknown(exports, unknown, from, to));
  described.push(() => {
    const { fields, counts, memory } = exports;
    new Uint32Array(memory.buffer, counts.value + 4 * message, 1)[0] = descriptions.length;
    const words = new Uint32Array(
      memory.buffer,
      fields.value + 4 * FIELD_WORDS * FIELDS * message,
      FIELD_WORDS * FIELDS,
    );
    // Lengths of one byte are the likeliest before any was written.
    for (const [index, description] of descriptions.entries()) words.set([...description, 1], FIELD_WORDS * index);
  });
}

function placeField(
  exports: EncodeExports,
  { kind, tag, column, starts, ids, child, parameter = 0 }: FieldColumn,
  from: number,
  to: number,
  described: (() => void)[],
): Description {
  const allIds = () => (ids === undefined ? 0 : put(exports, ids, 0, ids.length));
  switch (kind) {
    case CHILD:
      place(exports, child!, starts![from]!, starts![to]!, described);
      return [kind, tag, 0, put(exports, starts!, from, to + 1), 0, parameter];
    case PACKED_REFERENCES: {
      const entries = put(exports, column!, starts![from]!, starts![to]!);
      return [kind, tag, entries, put(exports, starts!, from, to + 1), allIds(), parameter];
    }
    case PACKED_WIDE:
      return [kind, tag, put(exports, column!, from * parameter, to * parameter), 0, 0, parameter];
    case ID:
      return [kind, tag, 0, 0, ids === undefined ? 0 : put(exports, ids, from, to), parameter];
    case REFERENCE:
      return [kind, tag, put(exports, column!, from, to), 0, allIds(), parameter];
    default:
      return [kind, tag, put(exports, column!, from, to), 0, 0, parameter];
  }
}

function placeUnknown(exports: EncodeExports, unknown: UnknownRows, from: number, to: number): Description {
  const starts = Uint32Array.from({ length: to - from + 1 }, (_, i) => unknownStart(unknown, from + i));
  const bytes = put(exports, unknown.fields.bytes, starts[0]!, starts[to - from]!);
  return [RAW, 0, bytes, put(exports, starts, 0, starts.length) - from * starts.BYTES_PER_ELEMENT, 0, 0];
}

/** Puts entries of a column into the memory. @returns where entry 0 would be */
function put({ allocate, memory }: EncodeExports, column: Column, from: number, to: number): Address {
  const size = column.BYTES_PER_ELEMENT;
  const address = allocate((to - from) * size + SLACK_BYTES) >>> 0;
  const bytes = new Uint8Array(column.buffer, column.byteOffset + from * size, (to - from) * size);
  new Uint8Array(memory.buffer).set(bytes, address);
  return address - from * size;
}
