/** From records in order of time to profiles: samples put into parts. */
import { type ByteInput, type DecodeContext, FormatError, type Profile, type Share } from '../../../core/index.js';
import type { PerfOptions } from '../../../schemas/gen/options/perf.js';
import { GroupCounts } from './group-counts.js';
import { KnownThreads } from './known-threads.js';
import type { MadeCode } from './made-code.js';
import { PartBuilder } from './part-builder.js';
import { Processes } from './processes.js';
import type { Block } from './record-store.js';
import { Recording } from './recording.js';
import type { GroupSample, SampleHost } from './sample-kernel.js';
import { sampleLabels } from './sample-labels.js';
import { SideRecords } from './side-records.js';
import { Weights } from './weights.js';

/** @throws FormatError when there is no sample before the place where the recording is spoilt; else `context.breaksOff` is told */
export async function* decodeParts(
  input: ByteInput,
  options: PerfOptions,
  context: DecodeContext,
  share: Share,
  made: MadeCode = new Map(),
): AsyncGenerator<Profile> {
  // What all shares see, one tells.
  const ofWhole = share.index === 0 ? context : { ...context, count: () => {}, warn: () => {}, breaksOff: () => {} };
  const decoder = new Decoder(input, options, { ofWhole, ofShare: context }, share, made);
  try {
    for await (const _ of decoder.recording.run()) yield* decoder.takeFull();
  } catch (error) {
    if (!(error instanceof FormatError) || decoder.samples === 0) throw error;
    ofWhole.breaksOff(error);
    ofWhole.warn('recording_cut', `${decoder.samples} samples before the place where it is spoilt were kept`);
    yield* decoder.takeFull();
  }
  yield* decoder.takeLast();
}

/** Blocks that only the part at work may refer to: that many are worth more than a copy of its stacks. */
const MAX_SPENT_BLOCKS = 32;
/** 146 years: spoilt times must not go beyond int64. */
const LONGEST_NANOS = 2 ** 62;

interface FullPart {
  /** Undefined for one of another share. */
  readonly profile: Profile | undefined;
  /** That only it and parts before it refer to. */
  readonly blocks: readonly Block[];
}

/** Whom to tell of what concerns the recording, and of what concerns samples of the share. */
interface Contexts {
  readonly ofWhole: DecodeContext;
  readonly ofShare: DecodeContext;
}

class Decoder implements SampleHost {
  readonly recording: Recording;
  readonly #options: PerfOptions;
  readonly #contexts: Contexts;
  readonly #share: Share;
  readonly #processes: Processes;
  readonly #threads: KnownThreads;
  readonly #sideRecords: SideRecords;
  readonly #groups = new GroupCounts();
  readonly #full: FullPart[] = [];
  readonly #warned = new Set<string>();
  #part: PartBuilder | undefined;
  /** Known with the first sample, when all events are. */
  #weights: Weights | undefined;

  constructor(input: ByteInput, options: PerfOptions, contexts: Contexts, share: Share, made: MadeCode) {
    this.#options = options;
    this.#contexts = contexts;
    this.#share = share;
    this.#processes = new Processes(made);
    this.#threads = new KnownThreads(this.#processes);
    this.#sideRecords = new SideRecords(this.#processes, contexts.ofWhole, (code, message) =>
      this.#warnOnce(code, message),
    );
    this.recording = new Recording(input, contexts.ofWhole, this);
    this.recording.kernel.setAreThreadsKept(!this.#processes.haveMadeCode);
  }

  get samples(): number {
    return this.recording.kernel.samples;
  }

  /** Parts that are full since the last call. Each is worked on before the next is asked for. */
  *takeFull(): Generator<Profile> {
    const { store, kernel } = this.recording;
    for (const { profile, blocks } of this.#full.splice(0)) {
      if (profile !== undefined) yield profile;
      store.recycle(blocks);
    }
    // A part that is not full yet may go on over gigabytes of records that it has nothing of.
    if (store.spentBlocks > MAX_SPENT_BLOCKS) this.#part?.ownStacks(kernel.columns());
    else if (this.#part !== undefined) return;
    store.recycle(store.takeSpent());
  }

  /** The rest, with the time that passed from the first sample to the last; unless that is another share's. */
  *takeLast(): Generator<Profile> {
    const { kernel } = this.recording;
    const { ofWhole, ofShare } = kernel.counters;
    for (const [counter, amount] of ofWhole) if (amount > 0) this.#contexts.ofWhole.count(counter, amount);
    for (const [counter, amount] of ofShare) if (amount > 0) this.#contexts.ofShare.count(counter, amount);
    if (this.#weights === undefined) this.beginSamples();
    if (!kernel.isOwn) return;
    yield { ...this.#finishPart(), durationNanos: BigInt(Math.min(kernel.duration, LONGEST_NANOS)) };
  }

  /** @throws FormatError E_PERF_EVENTS */
  beginSamples(): void {
    this.#weights = new Weights(this.recording.events, this.#options.event);
    this.recording.weigh(this.#weights.columns);
    this.recording.kernel.setParts(this.#weights.header.sampleTypes.length, this.#share);
  }

  takeRecord(view: DataView, start: number, size: number): void {
    const { kernel, facts } = this.recording;
    this.#guarded('records_spoilt', () => {
      if (this.#sideRecords.take(view, start, size, facts.buildIds)) kernel.forgetThreads();
    });
  }

  findThread(pid: number, tid: number, event: number, time: number): number {
    if (this.#processes.haveMadeCode) this.#processes.space(pid).advance(this.#timeOfMaking(event, time));
    return this.#threads.row(pid, tid, (mappings) => this.recording.kernel.addMappings(mappings));
  }

  spaceOfThread(thread: number): number {
    return this.#threads.rows[thread]!.space;
  }

  findKernelSpace(): number | undefined {
    return this.#options.kernel ? this.#threads.space(this.#processes.kernel) : undefined;
  }

  locate(space: number, address: number, isCaller: boolean): number {
    return this.#ownPart.location(this.#threads.spaceAt(space), address, isCaller);
  }

  captureSpace(space: number): number {
    return this.#threads.captureRow(space, (mappings) => this.#ownPart.addSpace(mappings));
  }

  countGroup(sample: GroupSample, values: BigUint64Array): boolean {
    let isWanted = false;
    this.#guarded('samples_spoilt', () => {
      const counted = this.#groups.take(sample, this.recording.events);
      isWanted = this.#weights!.writeCounts(counted, values);
    });
    return isWanted;
  }

  takePart(): void {
    const { kernel, store } = this.recording;
    const profile = kernel.isOwn ? this.#finishPart() : undefined;
    this.#threads.clear();
    this.#full.push({ profile, blocks: store.takeSpent() });
  }

  get #ownPart(): PartBuilder {
    this.#part ??= new PartBuilder(this.#weights!.header);
    return this.#part;
  }

  #finishPart(): Profile {
    const part = this.#ownPart;
    this.#part = undefined;
    const columns = this.recording.kernel.columns();
    const { names } = this.recording.events;
    return part.finish(columns, sampleLabels(this.#options.labels, columns, this.#threads.rows, names, part));
  }

  #warnOnce(code: string, message: string): void {
    if (!this.#warned.has(code)) this.#contexts.ofWhole.warn(code, message);
    this.#warned.add(code);
  }

  /** What one record's spoilt bytes cost is that record. */
  #guarded(counter: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof FormatError || error instanceof RangeError)) throw error;
      this.#contexts.ofWhole.count(counter);
    }
  }

  /** When code was made is told by CLOCK_MONOTONIC: of samples with another clock, all was made before. */
  #timeOfMaking(event: number, time: number): number {
    if (this.recording.events.at(event).isMonotonic) return time;
    this.#warnOnce(
      'jitdump_clock',
      'recorded with another clock than the jitdumps: of functions at one address the last holds (perf record -k mono)',
    );
    return Number.POSITIVE_INFINITY;
  }
}
