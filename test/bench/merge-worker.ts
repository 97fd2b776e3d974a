/** A worker of the bench that merges with two: decodes its files, says "ready", and at each message merges them and gives the partial. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import {
  addProfile,
  Budget,
  defaultLimits,
  encodeMerge,
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

parentPort!.on('message', () => {
  const state = new MergeState();
  for (const { profile, digest } of inputs) addProfile(state, profile, { uri: 'p', digest });
  const pieces = encodeMerge(state).map((piece) => new Uint8Array(piece));
  parentPort!.postMessage(
    pieces,
    pieces.map(({ buffer }) => buffer),
  );
});
parentPort!.postMessage('ready');
