/**
 * A merge in progress: what all profiles so far are together, as distinct strings, functions, mappings, locations, sets of labels
 * and samples. Rows are numbered by arrival; nothing of that is in the result, which `finish.ts` numbers anew.
 *
 * What makes two things one is google/pprof's: see `profile.Merge`, and the comments below.
 */
import { Words } from './growing.js';
import { type MergeHeader, newHeader } from './header.js';
import { Inputs } from './inputs.js';
import { ListPool } from './list-pool.js';
import { StringPool } from './string-pool.js';
import { Sums } from './values.js';

/** Words of `MergeState.mappingContents` for each mapping. */
export const MappingWord = {
  input: 0,
  row: 1,
  startLo: 2,
  startHi: 3,
  limitLo: 4,
  limitHi: 5,
  filename: 6,
  buildId: 7,
  flags: 8,
  width: 9,
} as const;

/** A location's list: these words, then LINE_WIDTH words for each of its lines. */
export const LocationWord = { mapping: 0, relativeLo: 1, relativeHi: 2, isFolded: 3, lines: 4 } as const;
/** Function, line (low, high), column (low, high). */
export const LINE_WIDTH = 5;
/** Key, string, number (low, high), unit. */
export const LABEL_WIDTH = 5;

export class MergeState {
  readonly inputs: Inputs;
  readonly header: MergeHeader;
  readonly strings: StringPool;
  /** Name, system name, file, start line (low, high). */
  readonly functions: ListPool;
  /** Size rounded up to 4 KiB (low, high), file offset (low, high), build ID or else file name. */
  readonly mappings: ListPool;
  /** What is not in the key comes from the first input that uses the mapping, `MappingWord.width` words each. */
  readonly mappingContents: Words;
  /** Mapping + 1 or 0, address relative to the mapping's start (low, high), is folded, lines. */
  readonly locations: ListPool;
  /** String labels, then number labels; each by key (any order of keys will do here), labels of one key in their own order. */
  readonly labelSets: ListPool;
  /** Set of labels, then the locations of the stack, leaf first. */
  readonly samples: ListPool;
  /** As many a sample as there are sample types. */
  readonly sums: Sums;
  /** Where each sample appears first: input, and row there. */
  readonly firsts: Words;

  constructor(parts: Partial<Pick<MergeState, MergePart>> & { readonly header?: MergeHeader } = {}) {
    this.inputs = parts.inputs ?? new Inputs();
    this.header = parts.header ?? newHeader();
    this.strings = parts.strings ?? new StringPool();
    this.functions = parts.functions ?? new ListPool();
    this.mappings = parts.mappings ?? new ListPool();
    this.mappingContents = parts.mappingContents ?? new Words();
    this.locations = parts.locations ?? new ListPool();
    this.labelSets = parts.labelSets ?? new ListPool();
    this.samples = parts.samples ?? new ListPool();
    this.sums = parts.sums ?? new Sums();
    this.firsts = parts.firsts ?? new Words();
  }
}

type MergePart =
  | 'inputs'
  | 'strings'
  | 'functions'
  | 'mappings'
  | 'mappingContents'
  | 'locations'
  | 'labelSets'
  | 'samples'
  | 'sums'
  | 'firsts';

/** Scratch memory for one list: grows, never shrinks. */
export function withCapacity(scratch: Uint32Array, count: number): Uint32Array {
  return count <= scratch.length ? scratch : new Uint32Array(count + (count >>> 1));
}
