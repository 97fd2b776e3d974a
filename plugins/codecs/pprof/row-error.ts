/** What the kernel finds wrong with a row, said in words. */
import { FormatError, type FormatErrorPlace, type LimitName, type Limits } from '../../../core/index.js';
import { fieldNames } from './fields.js';
import {
  FIELD_ZERO,
  FIRST_STRING_NOT_EMPTY,
  FIXED_TRUNCATED,
  KNOWN_WIRE_TYPE,
  LENGTH_TOO_LARGE,
  NO_STRING_INDEX,
  NUMBER_TOO_LONG,
  NUMBER_TRUNCATED,
  STRING_TOO_LONG,
  TAG_TOO_LONG,
  TAG_TRUNCATED,
  TOO_DEEP,
  TOO_MANY_LABELS,
  TOO_MANY_ROWS,
  UNKNOWN_WIRE_TYPE,
} from './kernel-codes.js';

export interface RowProblem {
  /** Of kernel-codes.ts. */
  readonly problem: number;
  readonly message: number;
  readonly row: number;
  /** Number of the field; 0 for none. */
  readonly field: number;
  /** In the decompressed input. */
  readonly offset: number;
  readonly got: bigint;
  readonly limit: bigint;
}

/** Names of messages that are rows, and of their fields, by number. */
const messages: { readonly [message: number]: readonly [section: string, fields: readonly string[]] } = {
  3: ['Profile.sample', fieldNames.sample],
  4: ['Profile.sample.label', fieldNames.label],
  5: ['Profile.mapping', fieldNames.mapping],
  6: ['Profile.location', fieldNames.location],
  7: ['Profile.location.line', fieldNames.line],
  8: ['Profile.function', fieldNames.function],
  9: ['Profile.string_table', []],
};

export function rowError({ problem, message, row, field, offset, got, limit }: RowProblem, limits: Limits): Error {
  const [table, fields] = messages[message]!;
  const name = fields[field] || undefined;
  const section = `${table}[${row}]`;
  const wrong = (code: string, text: string, place: FormatErrorPlace = {}) =>
    new FormatError(code, text, { section: name === undefined ? section : `${section}.${name}`, offset, ...place });
  const over = (name: LimitName, place: FormatErrorPlace) =>
    new FormatError('E_LIMIT', `over the limit ${name}`, { ...place, got: Number(got), limit: limits[name] });
  switch (problem) {
    case NUMBER_TRUNCATED:
      return wrong('E_TRUNCATED', 'message ends within a number');
    case TAG_TRUNCATED:
      return wrong('E_TRUNCATED', 'message ends within a tag');
    case FIXED_TRUNCATED:
      return wrong('E_TRUNCATED', 'message ends within a fixed-size number');
    case NUMBER_TOO_LONG:
      return wrong('E_VARINT', 'number of more than 64 bits');
    case TAG_TOO_LONG:
      return wrong('E_VARINT', 'tag of more than 32 bits');
    case LENGTH_TOO_LARGE:
      return wrong('E_LENGTH', 'length is more than what is left', { got, limit });
    case FIELD_ZERO:
      return wrong('E_FIELD', 'field number 0');
    case KNOWN_WIRE_TYPE:
      return wrong('E_WIRE_TYPE', 'wrong wire type', { got });
    case UNKNOWN_WIRE_TYPE:
      return wrong('E_WIRE_TYPE', `wire type of unknown field ${field} is not supported`, { section, got });
    case NO_STRING_INDEX:
      return wrong('E_STRING_INDEX', 'not an index into the string table', { got: BigInt.asIntN(64, got) });
    case TOO_MANY_ROWS:
      return over('tableRows', { section: table, offset });
    case TOO_DEEP:
      return over('stackDepth', { section: `${section}.location_id` });
    case TOO_MANY_LABELS:
      return over('labelsPerSample', { section: `${section}.label` });
    case STRING_TOO_LONG:
      return over('stringBytes', { section, offset });
    case FIRST_STRING_NOT_EMPTY:
      return wrong('E_STRING_TABLE', 'string 0 is not empty', { got });
    default:
      return new Error(`kernels/decode: problem ${problem}`);
  }
}
