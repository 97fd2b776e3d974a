/** From records in order of time to profiles: processes followed, samples put into parts. */
import {
  type ByteInput,
  type DecodeContext,
  FormatError,
  type LabelSpec,
  type Profile,
  type ProfileHeader,
  type Share,
} from '../../../core/index.js';
import type { PerfOptions } from '../../../schemas/gen/options/perf.js';
import type { EventAttribute } from './attribute.js';
import { readChain } from './chain.js';
import { untilNul } from './features.js';
import { type Counted, GroupCounts } from './group-counts.js';
import type { MadeCode } from './made-code.js';
import { applyMmap } from './mappings.js';
import { PartBuilder } from './part-builder.js';
import { PartCutter } from './part-cutter.js';
import { Processes } from './processes.js';
import type { Block } from './record-store.js';
import { Recording } from './recording.js';
import { Misc, RecordType } from './records.js';
import { ABI_64, type Machine, machineOf, readRegisters, registerRoom } from './registers.js';
import { SampleReader } from './sample.js';
import type { CodeSpace } from './space.js';
import { signedWord } from './words.js';

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

/** Records that say nothing about stacks. */
const irrelevant: ReadonlySet<number> = new Set([
  RecordType.exit,
  RecordType.unthrottle,
  RecordType.read,
  RecordType.aux,
  RecordType.itraceStart,
  RecordType.switch,
  RecordType.switchCpuWide,
  RecordType.namespaces,
  RecordType.ksymbol,
  RecordType.bpfEvent,
  RecordType.cgroup,
  RecordType.textPoke,
  RecordType.auxOutputHardwareId,
]);

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
  readonly #sample = new SampleReader();
  /** Of the sample at hand. */
  readonly #registers = { amd64: registerRoom('amd64'), arm64: registerRoom('arm64') };
  readonly #groups = new GroupCounts();
  readonly #full: FullPart[] = [];
  readonly #warned = new Set<string>();
  #cutter: PartCutter | undefined;
  #part: PartBuilder | undefined;
  /** By event row: the column of its weight; −1 for events that are not asked for. */
  #columns: readonly number[] | undefined;
  #header: ProfileHeader = { sampleTypes: [] };
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
    this.#part ??= new PartBuilder(this.#header);
    yield { ...this.#part.finish(), durationNanos: BigInt(Math.min(duration, LONGEST_NANOS)) };
  }

  #take(view: DataView, start: number, size: number, event: number): void {
    const type = view.getUint32(start, true);
    if (type === RecordType.sample) this.#addSample(view, start, size, event);
    else this.#guarded('records_spoilt', () => this.#follow(view, start, size, type));
  }

  /** Processes, and what the recording says of itself. @throws RangeError for a record that is too short */
  #follow(view: DataView, start: number, size: number, type: number): void {
    const record = new DataView(view.buffer, view.byteOffset + start, size);
    const misc = record.getUint16(4, true);
    switch (type) {
      case RecordType.mmap:
      case RecordType.mmap2:
        if (!applyMmap(view, start, size, this.#processes, this.recording.facts.buildIds)) {
          this.#contexts.ofWhole.count('mappings_dropped');
        }
        return;
      case RecordType.comm: {
        const [pid, tid] = [record.getInt32(8, true), record.getInt32(12, true)];
        const name = untilNul(new Uint8Array(view.buffer, view.byteOffset + start + 16, size - 16));
        this.#processes.rename(pid, tid, name, (misc & Misc.commExec) !== 0);
        return;
      }
      case RecordType.fork: {
        const child = { pid: record.getInt32(8, true), tid: record.getInt32(16, true) };
        const parent = { pid: record.getInt32(12, true), tid: record.getInt32(20, true) };
        this.#processes.fork(child, parent, (misc & Misc.forkExec) !== 0);
        return;
      }
      case RecordType.lost:
        this.#lost('records_lost', signedWord(record, 16));
        return;
      case RecordType.lostSamples:
        this.#lost('samples_lost', signedWord(record, 8));
        return;
      case RecordType.throttle:
        this.#contexts.ofWhole.count('throttled');
        return;
      default:
        if (!irrelevant.has(type)) this.#contexts.ofWhole.count('unknown_records');
    }
  }

  #lost(counter: string, amount: number): void {
    this.#contexts.ofWhole.count(counter, amount);
    if (amount > 0) this.#warnOnce(counter, 'the kernel lost samples or other records while it recorded');
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
    const columns = this.#chooseColumns();
    const { recording } = this;
    const event = recording.events.at(row);
    if (columns[row]! < 0 && !event.isGroup) return;
    const sample = this.#sample;
    if (!this.#guarded('samples_spoilt', () => sample.read(view, start, size, event))) return;
    const counted = event.isGroup ? this.#countsOf(view, event) : undefined;
    if (event.isGroup && counted === undefined) return;
    if (counted?.every(({ row }) => columns[row]! < 0)) return;
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
    this.#part ??= new PartBuilder(this.#header);
    const part = this.#part;
    const kernel = this.#options.kernel ? this.#processes.kernel : undefined;
    const mode = view.getUint16(start + 4, true) & Misc.cpuMode;
    const isInUser = mode === Misc.user || mode === Misc.guestUser;
    const { stack, hasHiddenFrames, hasUserChain } = readChain(view, sample, isInUser, part, user, kernel);
    const captured = hasUserChain ? undefined : this.#userRegisters(view, event);
    if (captured !== undefined && (!isInUser || sample.chainLength > 0)) {
      stack.push(part.location(user, captured.registers.at(-1)!, false));
    }
    if (stack.length === 0 && hasHiddenFrames) {
      this.#contexts.ofShare.count('kernel_samples_left_out');
      return;
    }
    part.addSample(
      stack,
      counted === undefined ? this.#values(this.#columns![row]!) : this.#groupValues(counted),
      this.#labels(row),
    );
    if (captured !== undefined) {
      if (sample.stackBytes < 0) this.#contexts.ofShare.count('stacks_spoilt');
      const bytes = Math.max(0, sample.stackBytes);
      const memory = new Uint8Array(view.buffer, view.byteOffset + sample.stackStart, bytes);
      part.addCapture(captured.machine, user, captured.registers, memory);
    }
  }

  /** What the user's code had when it was interrupted, or when it called the kernel; undefined where it was not captured. */
  #userRegisters(
    view: DataView,
    event: EventAttribute,
  ): { readonly machine: Machine; readonly registers: Float64Array } | undefined {
    const { registersAbi, registersStart } = this.#sample;
    if (registersAbi === 0) return undefined;
    const machine = machineOf(this.recording.facts.architecture, event);
    if (machine === undefined || registersAbi !== ABI_64) {
      this.#contexts.ofShare.count('captures_of_other_machines');
      return undefined;
    }
    const registers = this.#registers[machine];
    readRegisters(view, registersStart, event, machine, registers);
    return Number.isNaN(registers.at(-1)!) ? undefined : { machine, registers };
  }

  #values(column: number): (number | bigint)[] {
    const { periodLow, periodHigh } = this.#sample;
    const values: (number | bigint)[] = new Array(this.#header.sampleTypes.length).fill(0);
    values[0] = 1;
    values[column] = periodHigh === 0 ? periodLow : (BigInt(periodHigh) << 32n) | BigInt(periodLow);
    return values;
  }

  #groupValues(counted: readonly Counted[]): (number | bigint)[] {
    const values: (number | bigint)[] = new Array(this.#header.sampleTypes.length).fill(0);
    values[0] = 1;
    for (const { row, amount } of counted) {
      const column = this.#columns![row]!;
      if (column > 0) values[column] = amount;
    }
    return values;
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
    this.#chooseColumns();
    this.#cutter ??= new PartCutter(this.#share, this.#header.sampleTypes.length);
    return this.#cutter;
  }

  /** Decides what each event's samples weigh, and with it the sample types of all parts. @throws FormatError E_PERF_EVENTS */
  #chooseColumns(): readonly number[] {
    if (this.#columns !== undefined) return this.#columns;
    const { events } = this.recording;
    const { event } = this.#options;
    const chosen = events.names.flatMap((name, row) =>
      (event === '' ? !events.at(row).isDummy : name === event) ? [row] : [],
    );
    if (event !== '' && chosen.length === 0) {
      throw new FormatError('E_PERF_EVENTS', `no event "${event}" in the recording; it has ${events.names.join(', ')}`);
    }
    const types = chosen.map((row) => ({ type: events.names[row]!, unit: events.at(row).unit }));
    const [first] = chosen;
    this.#header = {
      sampleTypes: [{ type: 'samples', unit: 'count' }, ...types],
      ...(first === undefined
        ? {}
        : { periodType: types[0]!, period: events.at(first).fixedPeriod, defaultSampleType: types[0]!.type }),
    };
    this.#columns = events.names.map((_, row) => chosen.indexOf(row) + 1 || -1);
    return this.#columns;
  }
}
