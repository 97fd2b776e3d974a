/** PERF_RECORD_SAMPLE: its fields in the order of the kernel. Source: Linux include/uapi/linux/perf_event.h, PERF_RECORD_SAMPLE */
import { FormatError } from '../../../core/index.js';
import type { EventAttribute } from './attribute.js';
import { SampleField } from './records.js';
import { signedWord } from './words.js';

/** Bits of `read_format`. */
export const ReadFormat = { timeEnabled: 1, timeRunning: 2, id: 4, group: 8, lost: 16 } as const;
const BRANCH_HARDWARE_INDEX = 1 << 17;

/** One sample; its fields are those of the last `read`. What lies behind the stack (weight, data source …) is not read. */
export class SampleReader {
  ip = 0;
  /** −1 where samples have none. */
  pid = -1;
  tid = -1;
  cpu = -1;
  /** Nanoseconds; −1 where samples have none. */
  time = -1;
  /** Halves of the period; of an event with a fixed one, that. */
  periodLow = 0;
  periodHigh = 0;
  /** Places in the view: `counts` events, `countBytes` from one to the next, from `countsStart`: the count, its id if the format has ids. */
  counts = 0;
  countsStart = 0;
  countBytes = 0;
  /** Places in the view: `chainLength` words from `chainStart`. */
  chainStart = 0;
  chainLength = 0;
  /** PERF_SAMPLE_REGS_ABI_*: 0 none, 1 of 32 bits, 2 of 64. */
  registersAbi = 0;
  /** Place of the registers' words, in the order of the mask's bits. */
  registersStart = 0;
  stackStart = 0;
  /** Bytes that were captured, of those that were allotted; −1 when it claims to be more than those. */
  stackBytes = 0;
  #view: DataView = new DataView(new ArrayBuffer(0));
  #at = 0;
  #end = 0;

  /** @throws FormatError E_PERF_SAMPLE when a field goes beyond the record, or the period beyond int64 */
  read(view: DataView, start: number, size: number, event: EventAttribute): void {
    const { sampleType, places } = event;
    this.#view = view;
    this.#at = start;
    this.#end = start + size;
    this.#skip(places.endInSample);
    const { ipInSample, tidInSample, timeInSample, cpuInSample, periodInSample } = places;
    this.ip = ipInSample < 0 ? 0 : signedWord(view, start + ipInSample);
    this.pid = tidInSample < 0 ? -1 : view.getInt32(start + tidInSample, true);
    this.tid = tidInSample < 0 ? -1 : view.getInt32(start + tidInSample + 4, true);
    this.time = timeInSample < 0 ? -1 : signedWord(view, start + timeInSample);
    this.cpu = cpuInSample < 0 ? -1 : view.getUint32(start + cpuInSample, true);
    if (periodInSample < 0) this.#setPeriod(event.fixedPeriod === 0 ? 1 : event.fixedPeriod);
    else this.#readPeriod(start + periodInSample);
    this.counts = 0;
    if (sampleType & SampleField.read) this.#readCounts(event.readFormat);
    this.chainLength = sampleType & SampleField.callchain ? this.#count(8) : 0;
    this.chainStart = this.#skip(8 * this.chainLength);
    if (sampleType & SampleField.raw) this.#skip(view.getUint32(this.#skip(4), true));
    if (sampleType & SampleField.branchStack) this.#skipBranches(event.branchSampleType);
    this.registersAbi = 0;
    if (sampleType & SampleField.registersUser) this.#readRegisters(event);
    this.stackBytes = 0;
    if (sampleType & SampleField.stackUser) this.#readStack();
  }

  #setPeriod(period: number): void {
    this.periodLow = period >>> 0;
    this.periodHigh = Math.floor(period / 2 ** 32) >>> 0;
  }

  #readPeriod(at: number): void {
    this.periodLow = this.#view.getUint32(at, true);
    this.periodHigh = this.#view.getUint32(at + 4, true);
    if (this.periodHigh < 2 ** 31) return;
    const place = { section: 'sample', offset: at, got: this.periodHigh * 2 ** 32 };
    throw new FormatError('E_PERF_SAMPLE', 'period of the sample', place);
  }

  /** Of a group: their number, the times, then each event's count and id. Of an event alone: its count, the times, its id. */
  #readCounts(format: number): void {
    const times = 8 * bitCount(format & (ReadFormat.timeEnabled | ReadFormat.timeRunning));
    this.countBytes = 8 * (1 + bitCount(format & (ReadFormat.id | ReadFormat.lost)));
    if ((format & ReadFormat.group) === 0) {
      this.#skip(times + this.countBytes);
      return;
    }
    this.counts = this.#count(this.countBytes);
    this.#skip(times);
    this.countsStart = this.#skip(this.countBytes * this.counts);
  }

  #skipBranches(branchSampleType: number): void {
    const branches = this.#count(24);
    if (branchSampleType & BRANCH_HARDWARE_INDEX) this.#skip(8);
    this.#skip(24 * branches);
  }

  #readRegisters({ registersLow, registersHigh }: EventAttribute): void {
    this.registersAbi = this.#view.getUint32(this.#skip(8), true);
    if (this.registersAbi === 0) return;
    this.registersStart = this.#skip(8 * (bitCount(registersLow) + bitCount(registersHigh)));
  }

  #readStack(): void {
    const allotted = this.#count(1);
    if (allotted === 0) return;
    this.stackStart = this.#skip(allotted);
    const captured = signedWord(this.#view, this.#skip(8));
    this.stackBytes = captured < 0 || captured > allotted ? -1 : captured;
  }

  /** A number of things that follow, each of so many bytes: not more than fit. */
  #count(bytesOfEach: number): number {
    const at = this.#skip(8);
    const count = signedWord(this.#view, at);
    if (count >= 0 && count * bytesOfEach <= this.#end - this.#at) return count;
    throw this.#beyond(at, count);
  }

  /** @returns the place before */
  #skip(bytes: number): number {
    const at = this.#at;
    if (bytes > this.#end - at) throw this.#beyond(at, bytes);
    this.#at = at + bytes;
    return at;
  }

  #beyond(at: number, got: number): FormatError {
    const place = { section: 'sample', offset: at, got, limit: this.#end - at };
    return new FormatError('E_PERF_SAMPLE', 'a field of the sample goes beyond its record', place);
  }
}

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits >>> 0; rest !== 0; rest &= rest - 1) count++;
  return count;
}
