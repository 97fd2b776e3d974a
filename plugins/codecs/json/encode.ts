/** A Profile as JSON text, a table row a line. The layout is schemas/profile.schema.json. */
import {
  halves,
  type IdColumn,
  idAt,
  jsonInteger,
  MappingFlag,
  NO_ROW,
  type Profile,
  quoteText,
  type StringTable,
  stringAt,
  type ValueType,
} from '../../../core/index.js';
import { FORMAT, VERSION } from './format.js';

const PIECE_CHARACTERS = 2 ** 16;

export interface Encoded {
  /** The text as UTF-8, in pieces: a large profile never stands in memory as one string. */
  readonly pieces: readonly Uint8Array[];
  /** Strings that were no UTF-8. */
  readonly invalidStrings: number;
}

/** The same profile gives the same bytes. Unknown fields of profile.proto have no place in it. */
export function encodeProfile(profile: Profile): Encoded {
  const texts = literals(profile.strings);
  const pieces: Uint8Array[] = [];
  const encoder = new TextEncoder();
  let pending = '';
  const write = (text: string): void => {
    pending += text;
    if (pending.length < PIECE_CHARACTERS) return;
    pieces.push(encoder.encode(pending));
    pending = '';
  };
  const writeTable = (name: string, length: number, row: (row: number) => string): void => {
    write(`,\n"${name}": [`);
    for (let at = 0; at < length; at++) write(`${at === 0 ? '' : ','}\n${row(at)}`);
    write(length === 0 ? ']' : '\n]');
  };

  write(`{\n${header(profile, texts).join(',\n')}`);
  writeTable('mappings', profile.mappings.length, mappingRow(profile, texts));
  writeTable('functions', profile.functions.length, functionRow(profile, texts));
  writeTable('locations', profile.locations.length, locationRow(profile));
  writeTable('samples', profile.samples.length, sampleRow(profile, texts));
  write('\n}\n');
  pieces.push(encoder.encode(pending));
  return { pieces, invalidStrings: texts.invalid };
}

interface Literals {
  /** JSON literal of a string row. */
  (row: number): string;
  readonly invalid: number;
}

function literals(strings: StringTable): Literals {
  const encoder = new TextEncoder();
  let invalid = 0;
  const all = Array.from({ length: strings.length }, (_, row) => {
    const text = stringAt(strings, row);
    if (text.includes('\ufffd')) {
      const bytes = strings.bytes.subarray(strings.starts[row]!, strings.starts[row + 1]!);
      if (Buffer.compare(encoder.encode(text), bytes) !== 0) invalid++;
    }
    return quoteText(text);
  });
  return Object.assign((row: number) => all[row]!, { invalid });
}

function header(profile: Profile, text: Literals): string[] {
  const valueType = ({ type, unit }: ValueType) => `{"type": ${text(type)}, "unit": ${text(unit)}}`;
  const lines = [
    `"format": "${FORMAT}"`,
    `"version": ${VERSION}`,
    `"sampleTypes": [${profile.sampleTypes.map(valueType).join(', ')}]`,
  ];
  if (profile.defaultSampleType !== 0) lines.push(`"defaultSampleType": ${text(profile.defaultSampleType)}`);
  if (profile.periodType !== undefined) lines.push(`"periodType": ${valueType(profile.periodType)}`);
  if (profile.period !== 0n) lines.push(`"period": ${integer(profile.period)}`);
  if (profile.timeNanos !== 0n) lines.push(`"timeNanos": ${integer(profile.timeNanos)}`);
  if (profile.durationNanos !== 0n) lines.push(`"durationNanos": ${integer(profile.durationNanos)}`);
  if (profile.comments.length > 0) lines.push(`"comments": [${Array.from(profile.comments, text).join(', ')}]`);
  if (profile.dropFrames !== 0) lines.push(`"dropFrames": ${text(profile.dropFrames)}`);
  if (profile.keepFrames !== 0) lines.push(`"keepFrames": ${text(profile.keepFrames)}`);
  if (profile.docUrl !== 0) lines.push(`"docUrl": ${text(profile.docUrl)}`);
  if (text.invalid > 0) lines.push(`"invalidUtf8": ${text.invalid}`);
  return lines;
}

function mappingRow({ mappings }: Profile, text: Literals): (row: number) => string {
  const flags = Object.entries(MappingFlag);
  return (row) => {
    const places = (['memoryStart', 'memoryLimit', 'fileOffset'] as const).map(
      (name) => `"${name}": ${address(mappings[name][row]!)}`,
    );
    const set = flags.filter(([, bit]) => (mappings.flags[row]! & bit) !== 0).map(([name]) => `, "${name}": true`);
    const names = `"filename": ${text(mappings.filename[row]!)}, "buildId": ${text(mappings.buildId[row]!)}`;
    return `{${id(mappings.id, row)}${places.join(', ')}, ${names}${set.join('')}}`;
  };
}

function functionRow({ functions }: Profile, text: Literals): (row: number) => string {
  return (row) => {
    const names = `"name": ${text(functions.name[row]!)}, "systemName": ${text(functions.systemName[row]!)}`;
    const place = `"filename": ${text(functions.filename[row]!)}, "startLine": ${integer(functions.startLine[row]!)}`;
    return `{${id(functions.id, row)}${names}, ${place}}`;
  };
}

function locationRow({ locations }: Profile): (row: number) => string {
  const { lineStart, lines } = locations;
  return (row) => {
    const found: string[] = [];
    for (let line = lineStart[row]!; line < lineStart[row + 1]!; line++) {
      const column = lines.column?.[line] ?? 0n;
      const last = column === 0n ? '' : `, "column": ${integer(column)}`;
      found.push(`{"function": ${lines.function[line]}, "line": ${integer(lines.line[line]!)}${last}}`);
    }
    const mapping = locations.mapping[row] === NO_ROW ? '' : `"mapping": ${locations.mapping[row]}, `;
    const folded = locations.isFolded[row] === 1 ? '"isFolded": true, ' : '';
    const place = `${mapping}"address": ${address(locations.address[row]!)}`;
    return `{${id(locations.id, row)}${place}, ${folded}"lines": [${found.join(', ')}]}`;
  };
}

function sampleRow({ samples, sampleTypes }: Profile, text: Literals): (row: number) => string {
  const types = sampleTypes.length;
  const value = integerReader(samples.values);
  const number = integerReader(samples.labels.num);
  const { labels } = samples;
  return (row) => {
    const values: string[] = [];
    for (let type = 0; type < types; type++) values.push(value(row * types + type));
    const stack = samples.stackLocations.subarray(samples.stackStart[row]!, samples.stackStart[row + 1]!);
    const found: string[] = [];
    for (let label = samples.labelStart[row]!; label < samples.labelStart[row + 1]!; label++) {
      const unit = labels.numUnit[label] === 0 ? '' : `, "numUnit": ${text(labels.numUnit[label]!)}`;
      const content = labels.str[label] === 0 ? `"num": ${number(label)}${unit}` : `"str": ${text(labels.str[label]!)}`;
      found.push(`{"key": ${text(labels.key[label]!)}, ${content}}`);
    }
    const last = found.length === 0 ? '' : `, "labels": [${found.join(', ')}]`;
    return `{"values": [${values.join(', ')}], "stack": [${stack.join(', ')}]${last}}`;
  };
}

function id(ids: IdColumn, row: number): string {
  return ids === undefined ? '' : `"id": ${integer(idAt(ids, row))}, `;
}

const address = (value: bigint): string => `"0x${value.toString(16)}"`;

const integer = (value: bigint): string => JSON.stringify(jsonInteger(value));

/** Integers of a column as JSON; a bigint is made only for those that need one. */
function integerReader(column: BigInt64Array): (row: number) => string {
  const words = halves(column);
  return (row) => {
    const number = (words[row * 2 + 1]! | 0) * 2 ** 32 + words[row * 2]!;
    return Number.isSafeInteger(number) ? String(number) : integer(column[row]!);
  };
}
