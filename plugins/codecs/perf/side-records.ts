/** Records that are no samples: they tell of processes, and of the recording itself. */
import type { DecodeContext } from '../../../core/index.js';
import { untilNul } from './features.js';
import { applyMmap } from './mappings.js';
import type { Processes } from './processes.js';
import type { Recording } from './recording.js';
import { Misc, RecordType } from './records.js';
import { signedWord } from './words.js';

/** Those that say nothing about stacks. */
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

export class SideRecords {
  readonly #processes: Processes;
  readonly #context: Pick<DecodeContext, 'count'>;
  /** Told of the first of each code only. */
  readonly #warnOnce: (code: string, message: string) => void;

  constructor(
    processes: Processes,
    context: Pick<DecodeContext, 'count'>,
    warnOnce: (code: string, message: string) => void,
  ) {
    this.#processes = processes;
    this.#context = context;
    this.#warnOnce = warnOnce;
  }

  /** Takes records in order of time. @returns whether processes changed @throws RangeError for one that is too short */
  take(view: DataView, start: number, size: number, buildIds: Recording['facts']['buildIds']): boolean {
    const record = new DataView(view.buffer, view.byteOffset + start, size);
    const type = record.getUint32(0, true);
    const misc = record.getUint16(4, true);
    switch (type) {
      case RecordType.mmap:
      case RecordType.mmap2:
        if (!applyMmap(view, start, size, this.#processes, buildIds)) this.#context.count('mappings_dropped');
        return true;
      case RecordType.comm: {
        const [pid, tid] = [record.getInt32(8, true), record.getInt32(12, true)];
        const name = untilNul(new Uint8Array(view.buffer, view.byteOffset + start + 16, size - 16));
        this.#processes.rename(pid, tid, name, (misc & Misc.commExec) !== 0);
        return true;
      }
      case RecordType.fork: {
        const child = { pid: record.getInt32(8, true), tid: record.getInt32(16, true) };
        const parent = { pid: record.getInt32(12, true), tid: record.getInt32(20, true) };
        this.#processes.fork(child, parent, (misc & Misc.forkExec) !== 0);
        return true;
      }
      case RecordType.lost:
        this.#lost('records_lost', signedWord(record, 16));
        return false;
      case RecordType.lostSamples:
        this.#lost('samples_lost', signedWord(record, 8));
        return false;
      case RecordType.throttle:
        this.#context.count('throttled');
        return false;
      default:
        if (!irrelevant.has(type)) this.#context.count('unknown_records');
        return false;
    }
  }

  #lost(counter: string, amount: number): void {
    this.#context.count(counter, amount);
    if (amount > 0) this.#warnOnce(counter, 'the kernel lost samples or other records while it recorded');
  }
}
