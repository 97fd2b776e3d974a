/**
 * A worker of the bench that merges with several, as the program does: it decodes its files and says "ready". Told "give", it merges them
 * and gives the partial; told a number, it keeps its own, merges the partials of so many others, and finishes.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import {
  addProfile,
  Budget,
  combineMerges,
  decodeMerge,
  defaultLimits,
  encodeMerge,
  finishMerge,
  type ItemContext,
  MergeState,
  openInput,
} from '../../core/index.js';
import { decodeProfile } from '../../plugins/codecs/pprof/decode.js';

const context = { limits: defaultLimits, count() {}, warn() {} } as unknown as ItemContext;
const inputs = await Promise.all(
  (workerData as readonly string[]).map(async (path) => {
    const bytes = readFileSync(path);
    const profile = await decodeProfile(openInput(bytes, new Budget()), context);
    return { profile, digest: createHash('sha256').update(bytes).digest() };
  }),
);

function merge(): MergeState {
  const state = new MergeState();
  for (const { profile, digest } of inputs) addProfile(state, profile, { uri: 'p', digest });
  return state;
}

let kept = new MergeState();
/** Partials that are still to come. */
let others = 0;

parentPort!.on('message', (message: 'give' | number | readonly Uint8Array[]) => {
  if (message === 'give') {
    const partial = encodeMerge(merge());
    parentPort!.postMessage(
      partial,
      partial.map(({ buffer }) => buffer as ArrayBuffer),
    );
    return;
  }
  if (typeof message === 'number') {
    kept = merge();
    others = message;
  } else {
    kept = combineMerges(kept, decodeMerge(message));
    others--;
  }
  if (others === 0) parentPort!.postMessage(finishMerge(kept).profile.samples.length);
});
parentPort!.postMessage('ready');
