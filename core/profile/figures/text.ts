/**
 * A profile as text, all of it, one row a line: for goldens, for `pipe profile text` and for looking at. The same content gives the
 * same text, wherever its strings stand in the string table. Rows are numbered from 0, as references in a Profile are.
 *
 *     sample types: samples/count cpu/nanoseconds
 *     sample 0: 1 10000000 stack 0 1 2 {tenant=a bytes=64:kilobytes}
 *     location 0: 0x401000 mapping 0 main.leaf main.go:12 < main.work main.go:30:7
 *     function 0: main.leaf system main.leaf file main.go start 10
 *     mapping 0: 0x400000-0x800000 offset 0x0 file /bin/app build abcd functions,filenames
 */
import {
  type IdColumn,
  idAt,
  MappingFlag,
  NO_ROW,
  type Profile,
  stringAt,
  UnknownIn,
  type ValueType,
} from '../profile.js';
import { quoteText } from '../quote.js';

/** Lines without their ends. Safe for a terminal: nothing that steers one gets through. */
export function* profileText(profile: Profile): Generator<string, void, undefined> {
  yield* headerText(profile);
  yield* sampleText(profile);
  yield* locationText(profile);
  yield* functionText(profile);
  yield* mappingText(profile);
  yield* unknownText(profile);
}

function* headerText(profile: Profile): Generator<string> {
  const text = textOf(profile);
  const valueType = ({ type, unit }: ValueType) => `${text(type)}/${text(unit)}`;
  yield `sample types:${profile.sampleTypes.map((type) => ` ${valueType(type)}`).join('')}`;
  if (profile.defaultSampleType !== 0) yield `default sample type: ${text(profile.defaultSampleType)}`;
  if (profile.periodType !== undefined) yield `period type: ${valueType(profile.periodType)}`;
  if (profile.period !== 0n) yield `period: ${profile.period}`;
  if (profile.timeNanos !== 0n) yield `time: ${profile.timeNanos}`;
  if (profile.durationNanos !== 0n) yield `duration: ${profile.durationNanos}`;
  for (const comment of profile.comments) yield `comment: ${text(comment)}`;
  if (profile.dropFrames !== 0) yield `drop frames: ${text(profile.dropFrames)}`;
  if (profile.keepFrames !== 0) yield `keep frames: ${text(profile.keepFrames)}`;
  if (profile.docUrl !== 0) yield `doc url: ${text(profile.docUrl)}`;
}

function* sampleText(profile: Profile): Generator<string> {
  const { length, stackStart, stackLocations, values, labelStart, labels } = profile.samples;
  const types = profile.sampleTypes.length;
  const text = textOf(profile);
  for (let sample = 0; sample < length; sample++) {
    const parts = [`sample ${sample}:`];
    for (let type = 0; type < types; type++) parts.push(values[sample * types + type]!.toString());
    parts.push('stack', ...Array.from(stackLocations.subarray(stackStart[sample]!, stackStart[sample + 1]!), String));
    const labelTexts: string[] = [];
    for (let row = labelStart[sample]!; row < labelStart[sample + 1]!; row++) {
      const unit = labels.numUnit[row] === 0 ? '' : `:${text(labels.numUnit[row]!)}`;
      const value = labels.str[row] === 0 ? `${labels.num[row]}${unit}` : text(labels.str[row]!, numberLike);
      labelTexts.push(`${text(labels.key[row]!)}=${value}`);
    }
    if (labelTexts.length > 0) parts.push(`{${labelTexts.join(' ')}}`);
    yield parts.join(' ');
  }
}

function* locationText(profile: Profile): Generator<string> {
  const { length, id, mapping, address, isFolded, lineStart, lines } = profile.locations;
  const { name, filename } = profile.functions;
  const text = textOf(profile);
  for (let row = 0; row < length; row++) {
    const frames: string[] = [];
    for (let line = lineStart[row]!; line < lineStart[row + 1]!; line++) {
      const called = lines.function[line]!;
      const column = lines.column?.[line] ?? 0n;
      const place = `${text(filename[called]!)}:${lines.line[line]}${column === 0n ? '' : `:${column}`}`;
      frames.push(`${text(name[called]!)} ${place}`);
    }
    const mapped = mapping[row] === NO_ROW ? '' : ` mapping ${mapping[row]}`;
    const folded = isFolded[row] === 1 ? ' folded' : '';
    const stack = frames.length === 0 ? '' : ` ${frames.join(' < ')}`;
    yield `location ${row}${idText(id, row)}: ${hex(address[row]!)}${mapped}${folded}${stack}`;
  }
}

function* functionText(profile: Profile): Generator<string> {
  const { length, id, name, systemName, filename, startLine } = profile.functions;
  const text = textOf(profile);
  for (let row = 0; row < length; row++) {
    const names = `${text(name[row]!)} system ${text(systemName[row]!)}`;
    yield `function ${row}${idText(id, row)}: ${names} file ${text(filename[row]!)} start ${startLine[row]}`;
  }
}

function* mappingText(profile: Profile): Generator<string> {
  const { length, id, memoryStart, memoryLimit, fileOffset, filename, buildId, flags } = profile.mappings;
  const text = textOf(profile);
  const flagNames = [
    [MappingFlag.hasFunctions, 'functions'],
    [MappingFlag.hasFilenames, 'filenames'],
    [MappingFlag.hasLineNumbers, 'line-numbers'],
    [MappingFlag.hasInlineFrames, 'inline-frames'],
  ] as const;
  for (let row = 0; row < length; row++) {
    const range = `${hex(memoryStart[row]!)}-${hex(memoryLimit[row]!)} offset ${hex(fileOffset[row]!)}`;
    const set = flagNames.filter(([bit]) => (flags[row]! & bit) !== 0).map(([, flag]) => flag);
    const has = set.length === 0 ? '' : ` ${set.join(',')}`;
    yield `mapping ${row}${idText(id, row)}: ${range} file ${text(filename[row]!)} build ${text(buildId[row]!)}${has}`;
  }
}

function* unknownText({ unknown }: Profile): Generator<string> {
  if (unknown === undefined) return;
  const messageNames = new Map<number, string>(Object.entries(UnknownIn).map(([name, message]) => [message, name]));
  for (let entry = 0; entry < unknown.length; entry++) {
    const bytes = unknown.bytes.subarray(unknown.starts[entry]!, unknown.starts[entry + 1]!);
    const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'));
    yield `unknown in ${messageNames.get(unknown.message[entry]!)} ${unknown.row[entry]}: ${digits.join('')}`;
  }
}

const hex = (value: bigint): string => `0x${value.toString(16)}`;

function idText(id: IdColumn, row: number): string {
  const value = idAt(id, row);
  return value === BigInt(row + 1) ? '' : ` (id ${value})`;
}

/** What a word may hold that stands bare; everything else is quoted as in JSON. */
const bare = /^[\p{L}\p{N}\p{M}\p{S}\p{P}]+$/u;
const ambiguous = /["\\{}=]|^[<:]/;
/** A string that reads as a number is quoted where a number could stand. */
const numberLike = /^-?\d/;

function textOf(profile: Profile): (row: number, quoteAlso?: RegExp) => string {
  return (row, quoteAlso) => {
    const value = stringAt(profile.strings, row);
    if (bare.test(value) && !ambiguous.test(value) && !quoteAlso?.test(value)) return value;
    return quoteText(value);
  };
}
