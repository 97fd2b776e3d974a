/**
 * Keeps the largest value that each stack had in any one profile, where `aggregate` would add them up: the worst moment of a series of heap or
 * goroutine profiles. Stacks are compared by the names of their functions.
 */
import { defineAggregate, type OptionsOf } from 'profpipe';
import { decodePeaks, encodePeaks, mergePeaks, type Peaks, peaksOf, profileOfPeaks } from './peaks.js';

const schema = { type: 'object', additionalProperties: false } as const;

export default defineAggregate<OptionsOf<typeof schema>, Peaks>({
  name: 'peak',
  version: '0.1.0',
  api: '^1.0.0',
  summary: 'keeps the largest value that each stack had in any one profile',
  needs: ['symbols'],
  schema,
  create: () => ({
    empty: () => new Map(),
    add: (peaks, profile) => mergePeaks(peaks, peaksOf(profile)),
    merge: mergePeaks,
    encode: (peaks) => [encodePeaks(peaks)],
    decode: (pieces) => decodePeaks(Buffer.concat(pieces)),
    finish: profileOfPeaks,
  }),
});
