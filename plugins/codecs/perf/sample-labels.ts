/** Labels of the samples of a part: what is kept of them besides their stacks and weights. */
import type { PerfOptions } from '../../../schemas/gen/options/perf.js';
import type { KnownThread } from './known-threads.js';
import type { PartBuilder, SampleLabels } from './part-builder.js';
import type { PartColumns } from './part-columns.js';

/** @param threads by row @param events their names, by row */
export function sampleLabels(
  keys: PerfOptions['labels'],
  { length, threads: threadRows, processors, events: eventRows }: PartColumns,
  threads: readonly KnownThread[],
  events: readonly string[],
  part: PartBuilder,
): SampleLabels {
  const labelStart = new Uint32Array(length + 1);
  const most = length * keys.length;
  const [key, str, num] = [new Uint32Array(most), new Uint32Array(most), new BigInt64Array(most)];
  let used = 0;
  const add = (name: string, text: string | undefined, number: number): void => {
    key[used] = part.string(name);
    if (text !== undefined) str[used] = part.string(text);
    num[used++] = BigInt(number);
  };
  for (let sample = 0; sample < length && keys.length > 0; sample++) {
    const { pid, tid, comm } = threads[threadRows[sample]!]!;
    const processor = processors[sample]!;
    for (const name of keys) {
      if (name === 'pid') add(name, undefined, pid);
      else if (name === 'tid') add(name, undefined, tid);
      else if (name === 'event') add(name, events[eventRows[sample]!]!, 0);
      else if (name === 'comm' && comm !== undefined) add(name, comm, 0);
      else if (name === 'cpu' && processor >= 0) add(name, undefined, processor);
    }
    labelStart[sample + 1] = used;
  }
  const labels = { length: used, key: key.slice(0, used), str: str.slice(0, used), num: num.slice(0, used) };
  return { labelStart, labels: { ...labels, numUnit: new Uint32Array(used) } };
}
