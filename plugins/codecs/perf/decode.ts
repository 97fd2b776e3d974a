/** From records in order of time to profiles: samples put into parts. */
import {
  type ByteInput,
  type DecodeContext,
  FormatError,
  type LabelSpec,
  type Profile,
  type Share,
} from '../../../core/index.js';
import type { PerfOptions } from '../../../schemas/gen/options/perf.js';
import type { EventAttribute } from './attribute.js';
import { readChain } from './chain.js';
import { type Counted, GroupCounts } from './group-counts.js';
import type { MadeCode } from './made-code.js';
import { PartBuilder } from './part-builder.js';
import { PartCutter } from './part-cutter.js';
import { Processes } from './processes.js';
import type { Block } from './record-store.js';
import { Recording } from './recording.js';
import { Misc, RecordType } from './records.js';
import { ABI_64, type CapturedRegisters, capturedRegisters, readRegisters } from './registers.js';
import { SampleReader } from './sample.js';
import { SideRecords } from './side-records.js';
import type { CodeSpace } from './space.js';
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

class Decoder {
  readonly recording: Recording;
  samples = 0;
  readonly #options: PerfOptions;
  /** Whom to tell of what concerns the recording, and of what concerns samples of the share. */
  readonly #contexts: { readonly ofWhole: DecodeContext; readonly ofShare: DecodeContext };
  readonly #share: Share;
  readonly #processes: Processes;
  readonly #sideRecords: SideRecords;
  readonly #sample = new SampleReader();
  /** By event. */
  readonly #registers = new Map<EventAttribute, CapturedRegisters | undefined>();
  readonly #groups = new GroupCounts();
  readonly #full: FullPart[] = [];
  readonly #warned = new Set<string>();
  #cutter: PartCutter | undefined;
  #part: PartBuilder | undefined;
  /** Known with the first sample, when all events are. */
  #weights: Weights | undefined;
  #firstTime = Number.POSITIVE_INFINITY;
  #lastTime = 0;

  constructor(
    input: ByteInput,
    options: PerfOptions,
    contexts: { readonly ofWhole: DecodeContext; readonly ofShare: DecodeContext },
    share: Share,
    made: MadeCode,
  ) {
    this.#options = options;
    this.#contexts = contexts;
    this.#share = share;
    this.#processes = new Processes(made);
    this.#sideRecords = new SideRecords(this.#processes, contexts.ofWhole, (code, message) =>
      this.#warnOnce(code, message),
    );
    this.recording = new Recording(input, contexts.ofWhole, (view, start, size, event) =>
      this.#take(view, start, size, event),
    );
  }

  /** Parts that are full since the last call. Each is worked on before the next is asked for. */
  *takeFull(): Generator<Profile> {
    const { store } = this.recording;
    for (const { profile, blocks } of this.#full.splice(0)) {
      if (profile !== undefined) yield profile;
      store.recycle(blocks);
    }
    // A part that is not full yet may go on over gigabytes of records that it has nothing of.
    if (store.spentBlocks > MAX_SPENT_BLOCKS) this.#part?.ownStacks();
    else if (this.#part !== undefined) return;
    store.recycle(store.takeSpent());
  }

  /** The rest, with the time that passed from the first sample to the last; unless that is another share's. */
  *takeLast(): Generator<Profile> {
    if (!this.#chooseParts().isOwn) return;
    const duration = Math.max(0, this.#lastTime - this.#firstTime);
    this.#part ??= new PartBuilder(this.#chooseWeights().header);
    yield { ...this.#part.finish(), durationNanos: BigInt(Math.min(duration, LONGEST_NANOS)) };
  }

  #take(view: DataView, start: number, size: number, event: number): void {
    const type = view.getUint32(start, true);
    if (type === RecordType.sample) this.#addSample(view, start, size, event);
    else
      this.#guarded('records_spoilt', () => this.#sideRecords.take(view, start, size, this.recording.facts.buildIds));
  }

  #warnOnce(code: string, message: string): void {
    if (!this.#warned.has(code)) this.#contexts.ofWhole.warn(code, message);
    this.#warned.add(code);
  }

  /** What one record's spoilt bytes cost is that record. */
  #guarded(counter: string, work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      if (!(error instanceof FormatError || error instanceof RangeError)) throw error;
      this.#contexts.ofWhole.count(counter);
      return false;
    }
  }

  #addSample(view: DataView, start: number, size: number, row: number): void {
    if (row < 0) {
      this.#contexts.ofWhole.count('samples_of_unknown_events');
      return;
    }
    const weights = this.#chooseWeights();
    const { recording } = this;
    const event = recording.events.at(row);
    if (!weights.has(row) && !event.isGroup) return;
    const sample = this.#sample;
    if (!this.#guarded('samples_spoilt', () => sample.read(view, start, size, event))) return;
    const counted = event.isGroup ? this.#countsOf(view, event) : undefined;
    if (event.isGroup && counted === undefined) return;
    if (counted?.every(({ row }) => !weights.has(row))) return;
    this.samples++;
    this.#noteTime(sample.time);
    const cutter = this.#chooseParts();
    const user = this.#processes.space(sample.pid);
    user.advance(this.#timeOfMaking(event, sample.time));
    if (cutter.isOwn) this.#addOwn(view, start, event, row, user, counted);
    const isFull = cutter.add(user.mappings, Math.max(0, sample.stackBytes));
    if (!isFull) return;
    this.#full.push({ profile: this.#part?.finish(), blocks: this.recording.store.takeSpent() });
    this.#part = undefined;
  }

  /** Of a group's sample; undefined where they are spoilt. */
  #countsOf(view: DataView, event: EventAttribute): readonly Counted[] | undefined {
    const counted: Counted[] = [];
    const take = () => counted.push(...this.#groups.take(view, this.#sample, event, this.recording.events));
    return this.#guarded('samples_spoilt', take) ? counted : undefined;
  }

  /** When code was made is told by CLOCK_MONOTONIC: of samples with another clock, all was made before. */
  #timeOfMaking({ isMonotonic }: EventAttribute, time: number): number {
    if (isMonotonic || !this.#processes.haveMadeCode) return time;
    this.#warnOnce(
      'jitdump_clock',
      'recorded with another clock than the jitdumps: of functions at one address the last holds (perf record -k mono)',
    );
    return Number.POSITIVE_INFINITY;
  }

  #addOwn(
    view: DataView,
    start: number,
    event: EventAttribute,
    row: number,
    user: CodeSpace,
    counted: readonly Counted[] | undefined,
  ): void {
    const sample = this.#sample;
    const weights = this.#chooseWeights();
    this.#part ??= new PartBuilder(weights.header);
    const part = this.#part;
    const kernel = this.#options.kernel ? this.#processes.kernel : undefined;
    const mode = view.getUint16(start + 4, true) & Misc.cpuMode;
    const isInUser = mode === Misc.user || mode === Misc.guestUser;
    const { stack, hasHiddenFrames, hasUserChain } = readChain(view, sample, isInUser, part, user, kernel);
    const captured = hasUserChain ? undefined : this.#userRegisters(view, event);
    if (captured !== undefined && (!isInUser || sample.chainLength > 0)) {
      stack.push(part.location(user, captured.values.at(-1)!, false));
    }
    if (stack.length === 0 && hasHiddenFrames) {
      this.#contexts.ofShare.count('kernel_samples_left_out');
      return;
    }
    part.addSample(
      stack,
      counted === undefined ? weights.ofPeriod(row, sample) : weights.ofCounts(counted),
      this.#labels(row),
    );
    if (captured !== undefined) {
      if (sample.stackBytes < 0) this.#contexts.ofShare.count('stacks_spoilt');
      const bytes = Math.max(0, sample.stackBytes);
      const memory = new Uint8Array(view.buffer, view.byteOffset + sample.stackStart, bytes);
      part.addCapture(captured, user, memory);
    }
  }

  /** What the user's code had when it was interrupted, or when it called the kernel; undefined where it was not captured. */
  #userRegisters(view: DataView, event: EventAttribute): CapturedRegisters | undefined {
    const { registersAbi, registersStart } = this.#sample;
    if (registersAbi === 0) return undefined;
    const { architecture } = this.recording.facts;
    let captured = this.#registers.get(event);
    // In a pipe, what says the machine may come later than the event.
    if (captured === undefined || captured.architecture !== architecture) {
      captured = capturedRegisters(architecture, event);
      this.#registers.set(event, captured);
    }
    if (captured === undefined || registersAbi !== ABI_64) {
      this.#contexts.ofShare.count('captures_of_other_machines');
      return undefined;
    }
    return Number.isNaN(readRegisters(view, registersStart, captured)) ? undefined : captured;
  }

  #labels(row: number): LabelSpec[] {
    const { pid, tid, cpu } = this.#sample;
    const labels: LabelSpec[] = [];
    for (const key of this.#options.labels) {
      if (key === 'pid') labels.push({ key, num: pid });
      else if (key === 'tid') labels.push({ key, num: tid });
      else if (key === 'event') labels.push({ key, str: this.recording.events.names[row]! });
      else if (key === 'comm') {
        const str = this.#processes.comm(pid, tid);
        if (str !== undefined) labels.push({ key, str });
      } else if (cpu >= 0) labels.push({ key, num: cpu });
    }
    return labels;
  }

  #noteTime(time: number): void {
    if (time < 0) return;
    this.#firstTime = Math.min(this.#firstTime, time);
    this.#lastTime = Math.max(this.#lastTime, time);
  }

  #chooseParts(): PartCutter {
    this.#cutter ??= new PartCutter(this.#share, this.#chooseWeights().header.sampleTypes.length);
    return this.#cutter;
  }

  /** @throws FormatError E_PERF_EVENTS */
  #chooseWeights(): Weights {
    this.#weights ??= new Weights(this.recording.events, this.#options.event);
    return this.#weights;
  }
}
