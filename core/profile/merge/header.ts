/** What of a merge is no table. Strings are rows of the merge's pool. */
import { FormatError } from '../../formats/errors.js';
import { type Profile, stringAt, type ValueType } from '../profile.js';

/** Type and unit, both empty. */
const NO_TYPE = ' ';

/** Something of the first input that has it. */
export interface OfFirst<Value> {
  readonly input: number;
  readonly value: Value;
}

export interface MergeHeader {
  /** Undefined while nothing was added. */
  types: MergeTypes | undefined;
  /** Largest. */
  period: bigint;
  /** Smallest that is not 0; 0 if all are. */
  timeNanos: bigint;
  /** Sum; may leave the range of int64 on the way. */
  durationNanos: bigint;
  readonly comments: Set<number>;
  /** The first that is not "". */
  defaultSampleType: OfFirst<number> | undefined;
  docUrl: OfFirst<number> | undefined;
  /** Of the first input, even if empty. */
  frames: OfFirst<FramePatterns> | undefined;
  /** How many inputs have which patterns: key `drop keep`. */
  readonly patternCounts: Map<string, number>;
  /** Row 0 of the first input that has mappings: the main program's, kept even if no location refers to it. */
  mainMapping: OfFirst<number> | undefined;
  /** Unknown fields are not merged; how many profiles had some. */
  profilesWithUnknownFields: number;
}

export interface FramePatterns {
  readonly drop: number;
  readonly keep: number;
}

/** What profiles must agree in: text, since it is compared before anything is added. */
export interface MergeTypes {
  /** `type unit` of each sample type. */
  readonly sampleTypes: readonly string[];
  readonly periodType: string;
  readonly hasPeriodType: boolean;
  /** One of the profiles, for messages. */
  readonly uri: string;
  /** Rows of type and unit in the merge's pool; the period's last. */
  rows: readonly ValueType[];
}

export function newHeader(): MergeHeader {
  return {
    types: undefined,
    period: 0n,
    timeNanos: 0n,
    durationNanos: 0n,
    comments: new Set(),
    defaultSampleType: undefined,
    docUrl: undefined,
    frames: undefined,
    patternCounts: new Map(),
    mainMapping: undefined,
    profilesWithUnknownFields: 0,
  };
}

/** Order of two inputs: negative when `a` comes first. */
export type CompareInputs = (a: number, b: number) => number;

/** The earlier input's. */
export function earlier<Value>(
  compareInputs: CompareInputs,
  a: OfFirst<Value> | undefined,
  b: OfFirst<Value> | undefined,
): OfFirst<Value> | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return compareInputs(b.input, a.input) < 0 ? b : a;
}

export function typesOf(profile: Profile, uri: string): Omit<MergeTypes, 'rows'> {
  const text = ({ type, unit }: ValueType) => `${stringAt(profile.strings, type)} ${stringAt(profile.strings, unit)}`;
  return {
    sampleTypes: profile.sampleTypes.map(text),
    // google/pprof takes an absent period type and an empty one as equal.
    periodType: profile.periodType === undefined ? NO_TYPE : text(profile.periodType),
    hasPeriodType: profile.periodType !== undefined,
    uri,
  };
}

/** @throws FormatError E_INCOMPATIBLE when they cannot be summed */
export function checkCompatible(a: Omit<MergeTypes, 'rows'>, b: Omit<MergeTypes, 'rows'>): void {
  const complain = (what: string, ofA: string, ofB: string) => {
    const message = `${what} differ: ${a.uri} has ${ofA}, ${b.uri} has ${ofB}`;
    throw new FormatError('E_INCOMPATIBLE', message, { section: 'Profile' });
  };
  const shown = (type: string) => (type === NO_TYPE ? 'none' : type.replace(' ', '/'));
  const list = (types: readonly string[]) => types.map(shown).join(', ') || 'none';
  if (a.sampleTypes.length !== b.sampleTypes.length || a.sampleTypes.some((type, i) => type !== b.sampleTypes[i])) {
    complain('sample types', list(a.sampleTypes), list(b.sampleTypes));
  }
  if (a.periodType !== b.periodType) complain('period types', shown(a.periodType), shown(b.periodType));
}

/** The smaller one that is not 0. */
export function earliestTime(a: bigint, b: bigint): bigint {
  if (a === 0n || b === 0n) return a === 0n ? b : a;
  return a < b ? a : b;
}
