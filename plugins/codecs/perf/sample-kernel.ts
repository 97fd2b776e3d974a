/** kernels/perf and its memory: takes records as they come, gives samples as columns of parts, in order of time. */
import { defineKernel, type KernelExports, type Share } from '../../../core/index.js';
import type { EventAttribute } from './attribute.js';
import type { EventTable } from './event-table.js';
import { EVENT_WORDS, NO_ROW, REGISTERS_WORD } from './kernel-codes.js';
import type { PartColumns } from './part-columns.js';
import { type Block, MOST_HELD_BYTES, type RecordStore } from './record-store.js';
import { HEADER_BYTES, RecordType } from './records.js';
import { capturedRegisters, machineOfCount } from './registers.js';
import { perfKernel } from './sample-kernel.gen.js';

/** In the kernel's memory. */
type Address = number;

interface Global {
  readonly value: number;
}

/** What kernels/perf/index.ts exports. */
interface SampleExports extends KernelExports {
  readonly placeInput: (bytes: number) => Address;
  readonly endOfSamples: (at: number, end: number) => number;
  readonly countRecords: (start: number, end: number) => number;
  readonly holdSamples: (start: number, end: number, block: number, blockStart: number) => number;
  readonly isFull: (bytes: number) => number;
  readonly hold: (time: number, sample: Address, record: number, bytes: number, block: number) => void;
  readonly setBlockCount: (blocks: number) => void;
  readonly endRound: () => void;
  readonly letGoHalf: () => void;
  readonly letGoAll: () => void;
  readonly placeEvents: (events: number, idPlace: number) => Address;
  readonly addEventId: (id: number, row: number) => void;
  readonly setParts: (sampleTypes: number, samplesOfPart: number, shareIndex: number, shareCount: number) => void;
  readonly isOwn: () => number;
  readonly addMappings: (mappings: number) => void;
  readonly forgetThreads: () => void;
  readonly setAreThreadsKept: (kept: number) => void;
  readonly letGoOfBlocks: Global;
  readonly late: Global;
  readonly samples: Global;
  readonly firstTime: Global;
  readonly lastTime: Global;
  readonly samplesOfUnknownEvents: Global;
  readonly samplesSpoilt: Global;
  readonly kernelSamplesLeftOut: Global;
  readonly stacksSpoilt: Global;
  readonly capturesOfOtherMachines: Global;
  readonly length: Global;
  readonly values: Global;
  readonly threads: Global;
  readonly processors: Global;
  readonly events: Global;
  readonly stackStart: Global;
  readonly stackLocations: Global;
  readonly stackLength: Global;
  readonly captureCount: Global;
  readonly captureSpaces: Global;
  readonly registers: Global;
  readonly registerCount: Global;
  readonly stackBlocks: Global;
  readonly stackStarts: Global;
  readonly stackBytes: Global;
}

const instantiate = defineKernel<SampleExports>('perf', perfKernel);

/** Samples of a part at most, and their values. */
const FULL = { samples: 8192, values: 1 << 18 } as const;

/** A sample of a group: the counts of its events, in `view`. */
export interface GroupSample {
  readonly event: number;
  readonly tid: number;
  readonly view: DataView;
  readonly counts: number;
  readonly countsStart: number;
  readonly countBytes: number;
}

/** Whom the kernel asks and tells, as kernels/perf/imports.ts says; rows and numbers are the host's. */
export interface SampleHost {
  beginSamples(): void;
  /** A record that is no sample, in its turn. `view` is valid during the call. */
  takeRecord(view: DataView, start: number, size: number): void;
  findThread(pid: number, tid: number, event: number, time: number): number;
  spaceOfThread(thread: number): number;
  /** Undefined where its frames are left out. */
  findKernelSpace(): number | undefined;
  locate(space: number, address: number, isCaller: boolean): number;
  captureSpace(space: number): number;
  /** @param values by sample type, all 0 but the first @returns whether the sample is good, and anything of it is wanted */
  countGroup(sample: GroupSample, values: BigUint64Array): boolean;
  takePart(): void;
}

interface HeldRecord {
  readonly block: Block;
  readonly start: number;
  readonly size: number;
}

export class SampleKernel {
  readonly #exports: SampleExports;
  readonly #store: RecordStore;
  /** Records that are no samples, by the number that the kernel has for each. */
  readonly #records = new Map<number, HeldRecord>();
  #nextRecord = 0;
  /** Whose copy the input is. */
  #placed: Uint8Array | undefined;
  #sampleTypes = 0;

  constructor(store: RecordStore, host: SampleHost) {
    this.#store = store;
    this.#exports = instantiate({
      beginSamples: () => host.beginSamples(),
      takeRecord: (record: number) => this.#takeRecord(record, host),
      findThread: (pid: number, tid: number, event: number, time: number) => host.findThread(pid, tid, event, time),
      spaceOfThread: (thread: number) => host.spaceOfThread(thread),
      findKernelSpace: () => host.findKernelSpace() ?? NO_ROW,
      locate: (space: number, address: number, isCaller: number) => host.locate(space, address, isCaller !== 0),
      captureSpace: (space: number) => host.captureSpace(space),
      countGroup: (event: number, tid: number, start: Address, counts: number, countBytes: number, values: Address) => {
        const { buffer } = this.#exports.memory;
        const group = { event, tid, view: new DataView(buffer), counts, countsStart: start >>> 0, countBytes };
        return host.countGroup(group, new BigUint64Array(buffer, values >>> 0, this.#sampleTypes)) ? 1 : 0;
      },
      takePart: () => host.takePart(),
    });
  }

  /** What the events' samples hold. @param columns by event: the sample type of its periods, −1 for none; undefined before that is known */
  setEvents(events: EventTable, architecture: string | undefined, columns: readonly number[] | undefined): void {
    const place = this.#exports.placeEvents(events.length, events.idInSample) >>> 0;
    const words = new Int32Array(this.#exports.memory.buffer, place, events.length * EVENT_WORDS);
    for (let row = 0; row < events.length; row++) {
      const ofEvent = words.subarray(row * EVENT_WORDS, (row + 1) * EVENT_WORDS);
      writeEvent(ofEvent, events.at(row), architecture, columns?.[row] ?? -1);
    }
    for (const [id, row] of events.rowsOfIds) this.#exports.addEventId(id, row);
  }

  /** What `beginSamples` is to say. */
  setParts(sampleTypes: number, share: Share): void {
    this.#sampleTypes = sampleTypes;
    const samples = Math.min(FULL.samples, Math.ceil(FULL.values / sampleTypes));
    this.#exports.setParts(sampleTypes, samples, share.index, share.of);
  }

  /** @param kept false: what a thread has changes with time alone */
  setAreThreadsKept(kept: boolean): void {
    this.#exports.setAreThreadsKept(kept ? 1 : 0);
  }

  /** As `RecordTaker` has it. */
  takeSamples(bytes: Uint8Array, at: number): number {
    let start = at;
    for (;;) {
      if (bytes.length - start < HEADER_BYTES || bytes[start] !== RecordType.sample) return start;
      if (this.#placed !== bytes) this.#place(bytes);
      const end = this.#exports.endOfSamples(start, Math.min(bytes.length, start + MOST_HELD_BYTES));
      if (end === start) return start;
      this.#hold(bytes, start, end);
      start = end;
    }
  }

  /** Holds a record that is no sample until its turn comes. @param time 0: none, it goes before all that are held */
  holdRecord(view: DataView, start: number, size: number, time: number): void {
    while (this.#exports.isFull(size) !== 0) this.#letGoHalf();
    const block = this.#store.hold(new Uint8Array(view.buffer, view.byteOffset + start, size), 1);
    this.#exports.setBlockCount(this.#store.blocks.length);
    const record = this.#nextRecord++;
    this.#records.set(record, { block, start: this.#store.heldAt, size });
    this.#exports.hold(time, 0, record, size, block.number);
  }

  endRound(): void {
    this.#exports.endRound();
    this.#recycle();
  }

  /** Everything that is held. */
  letGoAll(): void {
    this.#exports.letGoAll();
    this.#recycle();
  }

  /** What processes have has changed. */
  forgetThreads(): void {
    this.#exports.forgetThreads();
  }

  /** The part has samples in a space of so many mappings that it had none in before. */
  addMappings(mappings: number): void {
    this.#exports.addMappings(mappings);
  }

  /** Whether the current part is of the share. */
  get isOwn(): boolean {
    return this.#exports.isOwn() !== 0;
  }

  /** Records that came after younger ones had been let go. */
  get late(): number {
    return this.#exports.late.value;
  }

  get samples(): number {
    return this.#exports.samples.value;
  }

  /** Nanoseconds from the first sample to the last. */
  get duration(): number {
    return Math.max(0, this.#exports.lastTime.value - this.#exports.firstTime.value);
  }

  /** Of the whole recording, and of the samples of the share, by the counter's name. */
  get counters(): { readonly ofWhole: Counters; readonly ofShare: Counters } {
    const { samplesOfUnknownEvents, samplesSpoilt } = this.#exports;
    const { kernelSamplesLeftOut, stacksSpoilt, capturesOfOtherMachines } = this.#exports;
    return {
      ofWhole: [
        ['samples_of_unknown_events', samplesOfUnknownEvents.value],
        ['samples_spoilt', samplesSpoilt.value],
      ],
      ofShare: [
        ['kernel_samples_left_out', kernelSamplesLeftOut.value],
        ['stacks_spoilt', stacksSpoilt.value],
        ['captures_of_other_machines', capturesOfOtherMachines.value],
      ],
    };
  }

  /** The current part's columns: copies, but for the captured stacks, which lie in the store. */
  columns(): PartColumns {
    const { memory, length: samples, captureCount } = this.#exports;
    const length = samples.value;
    const { buffer } = memory;
    const rows = (column: Global, count: number) => new Uint32Array(buffer, column.value >>> 0, count).slice();
    const { stackStart, stackLocations, stackLength, values, threads, processors, events } = this.#exports;
    return {
      length,
      // A part that no sample came to has none of these.
      stackStart: length === 0 ? new Uint32Array(1) : rows(stackStart, length + 1),
      stackLocations: rows(stackLocations, stackLength.value),
      values: new BigInt64Array(buffer, values.value >>> 0, length * this.#sampleTypes).slice(),
      threads: rows(threads, length),
      processors: new Int32Array(buffer, processors.value >>> 0, length).slice(),
      events: rows(events, length),
      ...(captureCount.value === 0 ? {} : { captures: this.#captures(length) }),
    };
  }

  #captures(length: number): PartColumns['captures'] {
    const { memory, captureSpaces, registers, registerCount, stackBlocks, stackStarts, stackBytes } = this.#exports;
    const { buffer } = memory;
    const column = ({ value }: Global) => new Uint32Array(buffer, value >>> 0, length);
    const [blocks, starts, sizes] = [column(stackBlocks), column(stackStarts), column(stackBytes)];
    const stacks: Uint8Array[] = [];
    for (let row = 0; row < length; row++) {
      const size = sizes[row]!;
      stacks.push(
        size === 0 ? NO_STACK : new Uint8Array(this.#store.blocks[blocks[row]!]!.bytes.buffer, starts[row]!, size),
      );
    }
    return {
      architecture: machineOfCount(registerCount.value),
      space: column(captureSpaces).slice(),
      registers: new Float64Array(buffer, registers.value >>> 0, length * registerCount.value).slice(),
      stacks,
    };
  }

  #place(bytes: Uint8Array): void {
    const place = this.#exports.placeInput(bytes.length) >>> 0;
    new Uint8Array(this.#exports.memory.buffer, place, bytes.length).set(bytes);
    this.#placed = bytes;
  }

  /** @param start of whole samples in what is placed */
  #hold(bytes: Uint8Array, start: number, end: number): void {
    const block = this.#store.hold(bytes.subarray(start, end), this.#exports.countRecords(start, end));
    const { heldAt } = this.#store;
    this.#exports.setBlockCount(this.#store.blocks.length);
    let at = start;
    for (;;) {
      at = this.#exports.holdSamples(at, end, block.number, heldAt + at - start);
      if (at === end) return;
      this.#letGoHalf();
    }
  }

  #letGoHalf(): void {
    this.#exports.letGoHalf();
    this.#recycle();
  }

  /** Tells the store which records were let go. */
  #recycle(): void {
    const { blocks } = this.#store;
    const { memory, letGoOfBlocks } = this.#exports;
    if (letGoOfBlocks.value === 0) return;
    const letGo = new Uint32Array(memory.buffer, letGoOfBlocks.value >>> 0, blocks.length);
    for (const [number, records] of letGo.entries()) if (records > 0) this.#store.letGo(blocks[number]!, records);
    letGo.fill(0);
  }

  #takeRecord(number: number, host: SampleHost): void {
    const { block, start, size } = this.#records.get(number)!;
    this.#records.delete(number);
    host.takeRecord(block.view, start, size);
  }
}

type Counters = readonly (readonly [counter: string, amount: number])[];

const NO_STACK = new Uint8Array(0);

/** As Event of kernels/perf/event.ts has them, in its order. */
function writeEvent(words: Int32Array, event: EventAttribute, architecture: string | undefined, column: number): void {
  const { ipInSample, tidInSample, timeInSample, cpuInSample, periodInSample, endInSample } = event.places;
  const period = event.fixedPeriod === 0 ? 1 : event.fixedPeriod;
  const registers = capturedRegisters(architecture, event);
  words.set([
    (period % 2 ** 32) | 0,
    Math.floor(period / 2 ** 32),
    ipInSample,
    tidInSample,
    timeInSample,
    cpuInSample,
    periodInSample,
    endInSample,
    event.sampleType,
    event.readFormat,
    event.branchSampleType,
    bitCount(event.registersLow) + bitCount(event.registersHigh),
    event.isGroup ? 1 : 0,
    column,
    registers?.count ?? 0,
    registers?.signed ?? -1,
  ]);
  words.fill(-1, REGISTERS_WORD);
  words.set(registers?.numbers ?? [], REGISTERS_WORD);
}

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits >>> 0; rest !== 0; rest &= rest - 1) count++;
  return count;
}
