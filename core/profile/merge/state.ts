/**
 * A merge in progress: what all profiles so far are together, as distinct strings, functions, mappings, locations, sets of labels
 * and samples. Rows are numbered by arrival; nothing of that is in the result, which `finish.ts` numbers anew.
 *
 * What makes two things one is google/pprof's: see `profile.Merge`, and each pool.
 */
import { FunctionPool } from './function-pool.js';
import { type MergeHeader, newHeader } from './header.js';
import { Inputs } from './inputs.js';
import { LabelSetPool } from './label-set-pool.js';
import { LocationPool } from './location-pool.js';
import { MappingPool } from './mapping-pool.js';
import { SamplePool } from './sample-pool.js';
import { StringPool } from './string-pool.js';

export interface MergeParts {
  readonly inputs: Inputs;
  readonly header: MergeHeader;
  readonly strings: StringPool;
  readonly functions: FunctionPool;
  readonly mappings: MappingPool;
  readonly locations: LocationPool;
  readonly labelSets: LabelSetPool;
  readonly samples: SamplePool;
}

export class MergeState implements MergeParts {
  readonly inputs: Inputs;
  readonly header: MergeHeader;
  readonly strings: StringPool;
  readonly functions: FunctionPool;
  readonly mappings: MappingPool;
  readonly locations: LocationPool;
  readonly labelSets: LabelSetPool;
  readonly samples: SamplePool;

  constructor(parts: Partial<MergeParts> = {}) {
    this.inputs = parts.inputs ?? new Inputs();
    this.header = parts.header ?? newHeader();
    this.strings = parts.strings ?? new StringPool();
    this.functions = parts.functions ?? new FunctionPool();
    this.mappings = parts.mappings ?? new MappingPool();
    this.locations = parts.locations ?? new LocationPool();
    this.labelSets = parts.labelSets ?? new LabelSetPool();
    this.samples = parts.samples ?? new SamplePool();
  }
}
