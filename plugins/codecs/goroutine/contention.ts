/**
 * Waiting, as `/debug/pprof/block?debug=1` and `mutex?debug=1` write it. Here cycles are nanoseconds.
 *
 *     --- mutex:                                  or "--- contention:" for block
 *     cycles/second=2194850121
 *     sampling period=5                           mutex only
 *     41820145 20 @ 0x4a1f3c 0x46cee1             cycles, times
 *     #   0x4a1f3b    sync.(*Mutex).Unlock+0x7b    /go/src/sync/mutex.go:190
 *
 * The sampling period is multiplied in, as google/pprof does. Since Go 1.20 the runtime has done so already, so that there it counts
 * twice wherever it is not 1; the text does not say which Go wrote it, but its counts are multiples of the period then.
 *
 * Source: go1.16 … go1.27 runtime/pprof/pprof.go writeProfileInternal, runtime/mprof.go saveBlockEventStack; google/pprof
 * profile/legacy_profile.go parseContention.
 */
import type { ProfileHeader } from '../../../core/index.js';
import type { GoroutineOptions } from '../../../schemas/gen/options/goroutine.js';
import { contentionHeader } from './forms.js';
import { truncated } from './heap.js';
import { type Line, lineError } from './lines.js';
import { ADDRESSES, parseAddresses, type StackForm, type StackLine } from './stack-form.js';

const stackLine = new RegExp(`^(\\d{1,18}) (\\d{1,18}) @${ADDRESSES}$`);
const attributeLine = /^([a-z/ ]+?) *= *(\d{1,18})$/;
/** That all figures are multiples of the period by chance must be less likely than this, or nothing is said of it. */
const CHANCE = 0.05;

export class ContentionForm implements StackForm {
  readonly merges = false;
  readonly hidesRuntime = false;
  readonly #appliesPeriod: boolean;
  #cyclesPerSecond = 0n;
  #period = 1n;
  #durationNanos = 0n;
  #stacks = 0;
  /** Stacks whose counts, and whose cycles, are multiples of the period. */
  #evenCounts = 0;
  #evenCycles = 0;

  constructor(period: GoroutineOptions['contention_period']) {
    this.#appliesPeriod = period === 'multiply';
  }

  get header(): ProfileHeader {
    const count = { type: 'contentions', unit: 'count' };
    return {
      sampleTypes: [count, { type: 'delay', unit: 'nanoseconds' }],
      periodType: count,
      period: this.#appliesPeriod ? this.#period : 1n,
      durationNanos: this.#durationNanos,
    };
  }

  get warning() {
    const isOften = this.#appliesPeriod && this.#period > 1n && this.#evenCounts === this.#stacks;
    const figures = this.#stacks * (this.#evenCycles === this.#stacks ? 2 : 1);
    if (!isOften || Number(this.#period) ** -figures > CHANCE) return undefined;
    const message =
      `goroutine: all counts are multiples of the sampling period ${this.#period} already, as Go 1.20 and later write them; ` +
      'they were multiplied once more, as google/pprof does: contention_period: applied leaves that out';
    return { code: 'period_twice', message };
  }

  readHeader(line: Line): void {
    if (!contentionHeader.test(line.text)) throw lineError(line, '"--- mutex:" or "--- contention:"');
  }

  readStack(line: Line): StackLine | undefined {
    const match = stackLine.exec(line.text);
    if (match === null) {
      if (this.#stacks > 0) throw lineError(line, '"CYCLES N @ 0xADDRESS…"');
      this.#readAttribute(line);
      return undefined;
    }
    const [cycles, count] = [BigInt(match[1]!), BigInt(match[2]!)];
    this.#stacks++;
    if (this.#period > 0n && count % this.#period === 0n) this.#evenCounts++;
    if (this.#period > 0n && cycles % this.#period === 0n) this.#evenCycles++;
    const factor = this.#appliesPeriod ? this.#period : 1n;
    return {
      count,
      // Without a period google/pprof leaves both as they are.
      values: factor > 0n ? [count * factor, this.#nanoseconds(cycles, factor, line)] : [count, cycles],
      labels: [],
      addresses: parseAddresses(match[3]!),
    };
  }

  #readAttribute(line: Line): void {
    const [, key, text = ''] = attributeLine.exec(line.text) ?? [];
    const value = BigInt(text);
    if (key === 'cycles/second') this.#cyclesPerSecond = value;
    else if (key === 'sampling period') this.#period = value;
    else if (key === 'ms since reset') this.#durationNanos = value * 1_000_000n;
    else if (key !== 'discarded samples')
      throw lineError(line, '"cycles/second=N", "sampling period=N" or "CYCLES N @ 0xADDRESS…"');
  }

  #nanoseconds(cycles: bigint, factor: bigint, line: Line): bigint {
    if (this.#cyclesPerSecond === 0n) return cycles;
    const perNanosecond = Number(this.#cyclesPerSecond) / 1e9;
    return truncated((Number(cycles) * Number(factor)) / perNanosecond, line);
  }
}
