/**
 * Conditions on the labels of a sample: pprof's tagfocus and tagignore.
 *
 *     tenant=acme,globex    a value of tenant matches one of the expressions
 *     acme,eu-west          each of the expressions matches some "key:value"
 *     bytes=4kb:1mb         a number of that key within the range, both ends included; also 4kb, 4kb: and :1mb
 *     4kb:                  a number of any key
 */
import { compilePattern, type Pattern, type Profile, rowMatcher, stringAt, UsageError } from '../../../core/index.js';
import { convert } from './units.js';

export type LabelCondition =
  | { readonly kind: 'text'; readonly key: string | undefined; readonly patterns: readonly Pattern[] }
  | { readonly kind: 'number'; readonly key: string | undefined; readonly range: Range };

interface Range {
  readonly least: number;
  readonly most: number;
  /** Symbol of the unit of both; '' when none was given. */
  readonly unit: string;
}

/** @throws UsageError E_PATTERN naming the option, for an expression that cannot be compiled or a number beyond 64 bits */
export async function parseLabelCondition(
  option: string,
  source: string | undefined,
): Promise<LabelCondition | undefined> {
  if (source === undefined || source === '') return undefined;
  const equals = source.indexOf('=');
  const key = equals < 0 ? undefined : source.slice(0, equals);
  const value = source.slice(equals + 1);
  const range = parseRange(option, value);
  if (range !== undefined) return { kind: 'number', key, range };
  const patterns = await Promise.all(value.split(',').map((part) => compilePattern(option, part)));
  // An empty part, as in "a,", matches everything: an expression of no characters.
  return { kind: 'text', key, patterns: patterns.map((pattern) => pattern ?? { test: () => true }) };
}

function parseRange(option: string, text: string): Range | undefined {
  const match = /^(?:([+-]?\d+)([a-zA-Z]+)?)?(:)?(?:([+-]?\d+)([a-zA-Z]+)?)?$/.exec(text);
  if (match === null) return undefined;
  const [, first, firstUnit = '', colon, second, secondUnit = ''] = match;
  if (first === undefined && second === undefined) return undefined;
  if (colon === undefined && second !== undefined) return undefined;
  const start = first === undefined ? undefined : scaled(option, first, firstUnit);
  if (second === undefined) {
    return { least: start!.value, most: colon === undefined ? start!.value : Infinity, unit: start!.unit };
  }
  const end = scaled(option, second, secondUnit, start?.unit);
  // Ends in units that do not convert make no range, but an expression that hardly matches anything: as in pprof.
  if (start !== undefined && start.unit !== end.unit) return undefined;
  return { least: start?.value ?? -Infinity, most: end.value, unit: end.unit };
}

function scaled(option: string, digits: string, unit: string, to = unit) {
  const value = BigInt(digits);
  if (BigInt.asIntN(64, value) !== value)
    throw new UsageError('E_PATTERN', `${digits} does not fit 64 bits`, { option: [option] });
  return convert(Number(value), unit, to);
}

/** The condition, ready for the samples of one profile. */
export function sampleMatcher(profile: Profile, condition: LabelCondition): (sample: number) => boolean {
  return condition.kind === 'number' ? numberMatcher(profile, condition) : textMatcher(profile, condition);
}

function textMatcher(
  profile: Profile,
  { key, patterns }: LabelCondition & { kind: 'text' },
): (sample: number) => boolean {
  const { labelStart, labels } = profile.samples;
  if (key === undefined) {
    const pairs = patterns.map((pattern) => pairMatcher(profile, pattern));
    return (sample) =>
      pairs.every((matches) => anyRow(labelStart, sample, (row) => labels.str[row] !== 0 && matches(row)));
  }
  const wantsKey = rowMatcher(profile, { test: (text) => text === key });
  const values = patterns.map((pattern) => rowMatcher(profile, pattern));
  return (sample) =>
    anyRow(labelStart, sample, (row) => {
      const str = labels.str[row]!;
      return str !== 0 && wantsKey(labels.key[row]!) && values.some((matches) => matches(str));
    });
}

/** Matches "key:value" of a label row, each distinct pair once. */
function pairMatcher({ strings, samples }: Profile, pattern: Pattern): (row: number) => boolean {
  const { key, str } = samples.labels;
  const answers = new Map<number, boolean>();
  return (row) => {
    const pair = key[row]! * strings.length + str[row]!;
    let answer = answers.get(pair);
    if (answer === undefined) {
      answer = pattern.test(`${stringAt(strings, key[row]!)}:${stringAt(strings, str[row]!)}`);
      answers.set(pair, answer);
    }
    return answer;
  };
}

function numberMatcher(
  profile: Profile,
  { key, range }: LabelCondition & { kind: 'number' },
): (sample: number) => boolean {
  const { labelStart, labels } = profile.samples;
  const wantsKey = key === undefined ? () => true : rowMatcher(profile, { test: (text) => text === key });
  const units = unitsByKey(profile);
  return (sample) =>
    anyRow(labelStart, sample, (row) => {
      if (labels.str[row] !== 0 || !wantsKey(labels.key[row]!)) return false;
      const { value, unit } = convert(Number(labels.num[row]), units.get(labels.key[row]!)!, range.unit);
      return unit === range.unit && value >= range.least && value <= range.most;
    });
}

/**
 * The unit of the numbers of each key (string row): the first that any sample gives; without any, bytes for "alignment" and
 * "request", else the key itself ("bytes" is in bytes). As in pprof: a key has one unit in a profile.
 */
function unitsByKey({ strings, samples }: Profile): Map<number, string> {
  const { length, key, str, numUnit } = samples.labels;
  const texts = new Map<number, string>();
  const units = new Map<string, string>();
  for (let row = 0; row < length; row++) {
    if (str[row] !== 0) continue;
    let text = texts.get(key[row]!);
    if (text === undefined) {
      text = stringAt(strings, key[row]!);
      texts.set(key[row]!, text);
    }
    if (!units.get(text)) units.set(text, stringAt(strings, numUnit[row]!));
  }
  const inferred = (key: string) => (key === 'alignment' || key === 'request' ? 'bytes' : key);
  return new Map(Array.from(texts, ([row, text]) => [row, units.get(text) || inferred(text)]));
}

function anyRow(labelStart: Uint32Array, sample: number, holds: (row: number) => boolean): boolean {
  for (let row = labelStart[sample]!; row < labelStart[sample + 1]!; row++) if (holds(row)) return true;
  return false;
}
