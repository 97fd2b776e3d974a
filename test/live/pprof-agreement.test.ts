/**
 * google/pprof's own package reads from what we write what it reads from the original, and merges to what we merge to: on all kinds
 * of profiles of a real Go program, and on more than 10,000 generated ones.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  addProfile,
  Budget,
  defaultLimits,
  finishMerge,
  type ItemContext,
  MergeState,
  openInput,
  type Profile,
} from '../../core/index.js';
import { testItem } from '../../core/testing/context.js';
import { decodeProfile } from '../../plugins/codecs/pprof/decode.js';
import { encodePieces } from '../../plugins/codecs/pprof/encoder.js';
import { type AgreeQuestion, askPeers, buildPeers, noPeers } from '../helpers/go-peers.js';
import { randomProfile } from '../helpers/random-profile.js';

const context: ItemContext = {
  item: testItem(0),
  limits: defaultLimits,
  signal: new AbortController().signal,
  count: () => {},
  warn: () => {},
};
const decode = (bytes: Uint8Array) => decodeProfile(openInput(bytes, new Budget()), context);
const encode = (profile: Profile) => Buffer.concat([...encodePieces(profile)]);

/** In the order in which we take them, which is how google/pprof must see them. */
async function mergeQuestion(inputs: readonly Uint8Array[]): Promise<AgreeQuestion> {
  const items = await Promise.all(
    inputs.map(async (bytes) => ({
      bytes,
      profile: await decode(bytes),
      digest: createHash('sha256').update(bytes).digest(),
    })),
  );
  const state = new MergeState();
  for (const { profile, digest } of items) addProfile(state, profile, { uri: 'p', digest });
  items.sort((a, b) => compareTimes(a.profile.timeNanos, b.profile.timeNanos) || a.digest.compare(b.digest));
  return ['m', ...items.map(({ bytes }) => bytes), encode(finishMerge(state).profile)];
}

function compareTimes(a: bigint, b: bigint): number {
  if (a === 0n || b === 0n) return Number(a === 0n) - Number(b === 0n);
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Of one family, so that they merge: one sample type, small values, and no label that google/pprof does not see. */
function relative(seed: number): Uint8Array {
  const profile = randomProfile(seed, 8);
  const { samples } = profile;
  const labels = {
    ...samples.labels,
    num: samples.labels.num.map((num, i) => num || BigInt(samples.labels.str[i] === 0)),
  };
  return encode({
    ...profile,
    sampleTypes: [{ type: 0, unit: 0 }],
    periodType: undefined,
    durationNanos: BigInt(seed),
    period: BigInt(seed % 5),
    samples: {
      ...samples,
      labels,
      values: new BigInt64Array(samples.length).map((_, s) => BigInt((s * 7 + seed) % 4)),
    },
  });
}

const skip = noPeers();

describe('agreement with google/pprof', { skip }, () => {
  let folder = '';
  let peers = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'profpipe-'));
    peers = buildPeers(folder);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('on all kinds of profiles of a real program', async () => {
    const corpus = [0, 1, 2].map((round) => join(folder, `corpus-${round}`));
    for (const each of corpus) {
      mkdirSync(each);
      execFileSync(peers, ['corpus', each]);
    }
    const names = readdirSync(corpus[0]!);
    assert.ok(names.length >= 7, `${names}`);
    const questions: AgreeQuestion[] = [];
    for (const name of names) {
      const inputs = corpus.map((each) => readFileSync(join(each, name)));
      for (const input of inputs) questions.push(['r', input, encode(await decode(input))]);
      questions.push(await mergeQuestion(inputs));
    }
    const answers = askPeers(peers, questions);
    assert.deepEqual(
      answers,
      questions.map(() => 'ok'),
    );
  });

  test('on 10,000 generated profiles, written again', async () => {
    const questions: AgreeQuestion[] = [];
    for (let seed = 0; seed < 10_000; seed++) {
      const bytes = encode(randomProfile(seed, 3 + (seed % 12)));
      questions.push(['r', bytes, encode(await decode(bytes))]);
    }
    const answers = askPeers(peers, questions);
    const wrong = answers.findIndex((answer) => answer !== 'ok');
    assert.equal(wrong, -1, `seed ${wrong}: ${answers[wrong]}`);
    assert.equal(answers.length, questions.length);
  });

  test('on 1,000 merges of generated profiles', async () => {
    const questions: AgreeQuestion[] = [];
    for (let group = 0; group < 1_000; group++) {
      const inputs = Array.from({ length: 2 + (group % 4) }, (_, i) => relative(group * 10 + i));
      questions.push(await mergeQuestion(inputs));
    }
    const answers = askPeers(peers, questions);
    const wrong = answers.findIndex((answer) => answer !== 'ok');
    assert.equal(wrong, -1, `group ${wrong}: ${answers[wrong]}`);
    assert.equal(answers.length, questions.length);
  });
});
