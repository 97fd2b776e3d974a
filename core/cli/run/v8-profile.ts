/** CPU profiles of V8, of several threads, as one profile. */
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  INTERVAL_MICROSECONDS,
  type ThreadProfile,
  type V8Profile,
} from '../../engine/executors/inspector/thread-profiler.js';
import { ProfileBuilder } from '../../profile/edit/builder.js';
import type { Profile } from '../../profile/profile.js';
import { sourcePlace } from '../source-places.js';

/** Idle time left out; each sample with the label `thread`. @param startedMs of the clock, since 1970 */
export function profileOfThreads(threads: readonly ThreadProfile[], startedMs: number): Profile {
  const lastedMicroseconds = Math.max(0, ...threads.map(({ profile }) => profile.endTime - profile.startTime));
  const builder = new ProfileBuilder({
    sampleTypes: [
      { type: 'samples', unit: 'count' },
      { type: 'cpu', unit: 'nanoseconds' },
    ],
    periodType: { type: 'cpu', unit: 'nanoseconds' },
    period: INTERVAL_MICROSECONDS * 1_000,
    timeNanos: BigInt(startedMs) * 1_000_000n,
    durationNanos: BigInt(lastedMicroseconds) * 1_000n,
  });
  for (const { thread, profile } of threads) addThread(builder, thread, profile);
  return builder.finish();
}

function addThread(builder: ProfileBuilder, thread: string, profile: V8Profile): void {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const locations = new Map(
    profile.nodes.map(({ id, callFrame: { functionName, url, lineNumber, columnNumber } }) => {
      const script = url.startsWith('file:') ? fileURLToPath(url) : url;
      const { file: filename, line: startLine } = sourcePlace(script, lineNumber + 1, columnNumber + 1);
      const name = functionName || `(anonymous ${basename(filename)}:${startLine})`;
      const row = builder.function({ name, filename, startLine });
      return [id, builder.location({ lines: [{ function: row, line: startLine }] })];
    }),
  );
  for (const [leaf, { samples, microseconds }] of spentAt(profile)) {
    if (isIdle(nodes.get(leaf)!)) continue;
    const stack: number[] = [];
    for (let id = leaf; parents.has(id); id = parents.get(id)!) stack.push(locations.get(id)!);
    const values = [samples, Math.round(microseconds * 1_000)];
    builder.addSample({ stack, values, labels: [{ key: 'thread', str: thread }] });
  }
}

/** Waits for events (V8's word for it) or, in a thread of the pool, for a task. */
function isIdle({ callFrame: { functionName, url } }: V8Profile['nodes'][number]): boolean {
  return functionName === '(idle)' || (functionName === 'atomicsWaitLoop' && url.includes('/piscina/'));
}

/** By node. A sample stands for the time until the next one. */
function spentAt({ samples = [], timeDeltas = [], startTime, endTime }: V8Profile) {
  const spent = new Map<number, { samples: number; microseconds: number }>();
  let at = startTime;
  for (const [index, node] of samples.entries()) {
    at += timeDeltas[index] ?? 0;
    const next = timeDeltas[index + 1] ?? endTime - at;
    const before = spent.get(node) ?? { samples: 0, microseconds: 0 };
    // V8 may tell samples out of their order.
    spent.set(node, { samples: before.samples + 1, microseconds: before.microseconds + Math.max(0, next) });
  }
  return spent;
}
