/** PERF_RECORD_SAMPLE: its fields in the order of the kernel. Source: Linux include/uapi/linux/perf_event.h, PERF_RECORD_SAMPLE */
import { FormatError } from '../../../core/index.js';
import type { EventAttribute } from './attribute.js';
import { HEADER_BYTES, SampleField } from './records.js';
import { signedWord } from './words.js';

/** Bits of `read_format`. */
export const ReadFormat = { timeEnabled: 1, timeRunning: 2, id: 4, group: 8, lost: 16 } as const;
const BRANCH_HARDWARE_INDEX = 1 << 17;
/** ADDR, ID, STREAM_ID follow TIME, a word each. */
const WORDS_BEHIND_TIME = [SampleField.address, SampleField.id, SampleField.streamId] as const;

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
    this.#view = view;
    this.#at = start + HEADER_BYTES;
    this.#end = start + size;
    const { sampleType } = event;
    if (sampleType & SampleField.identifier) this.#skip(8);
    this.ip = sampleType & SampleField.ip ? signedWord(view, this.#skip(8)) : 0;
    this.pid = -1;
    this.tid = -1;
    if (sampleType & SampleField.tid) {
      const ids = this.#skip(8);
      this.pid = view.getInt32(ids, true);
      this.tid = view.getInt32(ids + 4, true);
    }
    this.time = sampleType & SampleField.time ? signedWord(view, this.#skip(8)) : -1;
    for (const field of WORDS_BEHIND_TIME) if (sampleType & field) this.#skip(8);
    this.cpu = sampleType & SampleField.cpu ? view.getUint32(this.#skip(8), true) : -1;
    this.#readPeriod((sampleType & SampleField.period) !== 0, event.fixedPeriod);
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

  #readPeriod(isInSample: boolean, fixedPeriod: number): void {
    if (isInSample) {
      const at = this.#skip(8);
      this.periodLow = this.#view.getUint32(at, true);
      this.periodHigh = this.#view.getUint32(at + 4, true);
      if (this.periodHigh >= 2 ** 31) {
        const place = { section: 'sample', offset: at, got: this.periodHigh * 2 ** 32 };
        throw new FormatError('E_PERF_SAMPLE', 'period of the sample', place);
      }
    } else {
      const period = fixedPeriod === 0 ? 1 : fixedPeriod;
      this.periodLow = period >>> 0;
      this.periodHigh = Math.floor(period / 2 ** 32) >>> 0;
    }
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
