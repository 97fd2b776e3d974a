/**
 * Plugins for the engine's own tests: a source that says how far it was pulled, a codec whose files can be written by hand, stages
 * that wait, fail, hang or end their thread, and an aggregate that shows what it was given.
 */
import { once } from 'node:events';
import {
  type Aggregate,
  type AggregateContext,
  type AggregatePlugin,
  FormatError,
  type Plugin,
  type Profile,
  type SourceItem,
  stringAt,
} from '../../core/index.js';
import { ProfileBuilder } from '../../core/profile/edit/builder.js';
import { fileSink } from '../../plugins/sinks/file/index.js';
import { fileSource } from '../../plugins/sources/file/index.js';

const base = { version: '1.0.0', api: '^1.0.0', summary: 'for tests', schema: { type: 'object' } } as const;

/** Items with the given texts as bytes; `pulled` counts what the engine has asked for. */
export const pulled = { count: 0 };

interface TextsOptions {
  readonly texts: readonly string[];
  /** Whether the source knows its count. */
  readonly counted?: boolean;
}

const texts: Plugin = {
  ...base,
  kind: 'source',
  name: 'texts',
  create: (options: TextsOptions) => ({
    ...(options.counted === false
      ? {}
      : { count: options.texts.length, names: options.texts.map((_, index) => `item${index}`) }),
    async *items(): AsyncGenerator<SourceItem> {
      pulled.count = 0;
      for (const [index, text] of options.texts.entries()) {
        pulled.count += 1;
        yield { uri: `item${index}`, name: `item${index}`, data: { bytes: Buffer.from(`words\n${text}`) } };
      }
    },
  }),
};

/** What the source `stream` gives: one item. */
export const streamed: { pieces: AsyncIterable<Uint8Array> } = { pieces: (async function* () {})() };

const stream: Plugin = {
  ...base,
  kind: 'source',
  name: 'stream',
  create: () => ({
    count: 1,
    async *items(): AsyncGenerator<SourceItem> {
      yield { uri: '-', name: 'stream', data: { stream: streamed.pieces } };
    },
  }),
};

/** Items that were settled, in their order, as `item0 delivered`. */
export const settled: string[] = [];

/** Items with the given texts, then none until it is closed. */
const endless: Plugin = {
  ...base,
  kind: 'source',
  name: 'endless',
  create(options: TextsOptions) {
    const closed = new AbortController();
    settled.length = 0;
    return {
      isEndless: true,
      async *items(): AsyncGenerator<SourceItem> {
        for (const [index, text] of options.texts.entries()) {
          const name = `item${index}`;
          const data = { bytes: Buffer.from(`words\n${text}`) };
          yield {
            uri: name,
            name,
            data,
            labels: { from: 'here' },
            settled: (outcome) => void settled.push(`${name} ${outcome}`),
          };
        }
        if (!closed.signal.aborted) await once(closed.signal, 'abort');
      },
      facts: () => ({
        counters: { waits: 1 },
        warnings: [{ code: 'W_WAITED', message: 'waited', times: 2 }],
      }),
      close: () => closed.abort(),
    };
  },
};

/** "words\n" and words: each a sample with that one frame and value 1. `bad` is refused at its offset. */
const words: Plugin = {
  ...base,
  kind: 'codec',
  name: 'words',
  decodes: true,
  encodes: true,
  extensions: ['.words'],
  detect: (head: Uint8Array) => (Buffer.from(head.subarray(0, 6)).toString() === 'words\n' ? 1 : 0),
  create: () => ({
    async decode(input) {
      const text = Buffer.from(await input.readAll(1 << 20)).toString();
      const offset = text.indexOf('bad');
      if (offset >= 0) throw new FormatError('E_BAD_WORD', 'a bad word', { section: 'words', offset });
      const builder = new ProfileBuilder({ sampleTypes: [{ type: 'words', unit: 'count' }] });
      for (const word of text.split(/\s+/).slice(1)) {
        if (word === '') continue;
        const location = builder.location({ lines: [{ function: builder.function({ name: word }), line: 1 }] });
        builder.addSample({ stack: [location], values: [1] });
      }
      return builder.finish();
    },
    encode: (profile) => [Buffer.from(`words\n${wordsOf(profile).join(' ')}\n`)],
  }),
};

/** The function names of a profile's leaves, in the order of its samples. */
export function wordsOf(profile: Profile): string[] {
  const { samples, locations, functions, strings } = profile;
  return Array.from({ length: samples.length }, (_, sample) => {
    const location = samples.stackLocations[samples.stackStart[sample]!]!;
    return stringAt(strings, functions.name[locations.lines.function[locations.lineStart[location]!]!]!);
  });
}

/** Does what a profile's first word says: `sleep50`, `throw`, `hang`, `exit`; and reports the number of samples. */
const act: Plugin = {
  ...base,
  kind: 'stage',
  name: 'act',
  mergeReports: (a: number, b: number) => a + b,
  renderReport: (report: number) => ({
    title: 'acts',
    columns: [{ name: 'samples' }],
    rows: [[String(report)]],
    notes: [],
  }),
  create: () => ({
    async process(profile, context) {
      const [word = ''] = wordsOf(profile);
      if (word.startsWith('sleep')) await new Promise((resolve) => setTimeout(resolve, Number(word.slice(5))));
      if (word === 'throw') throw new TypeError('asked to throw');
      if (word === 'hang') await once(process, 'never');
      if (word === 'exit') process.exit(7);
      context.count('acts');
      context.warn('W_ACT', 'acted');
      context.report(profile.samples.length);
      return profile;
    },
  }),
};

/** Is never made. */
const unmade: Plugin = {
  ...base,
  kind: 'stage',
  name: 'unmade',
  create: () => new Promise<never>((_, reject) => setTimeout(reject, 600_000)),
};

/** All words, sorted: a partial is the list of them. */
const sorted: AggregatePlugin<unknown, string[]> = {
  ...base,
  kind: 'aggregate',
  name: 'sorted',
  create: () => ({
    empty: () => [] as string[],
    add: (partial, profile) => [...partial, ...wordsOf(profile)],
    merge: (a, b) => [...a, ...b],
    encode: (partial) => [Buffer.from(partial.join('\n'))],
    decode: ([bytes]) => Buffer.from(bytes!).toString().split('\n').filter(Boolean),
    finish(partial) {
      const builder = new ProfileBuilder({ sampleTypes: [{ type: 'words', unit: 'count' }] });
      for (const word of [...partial].sort()) {
        const location = builder.location({ lines: [{ function: builder.function({ name: word }), line: 1 }] });
        builder.addSample({ stack: [location], values: [1] });
      }
      return builder.finish();
    },
  }),
};

/** As `sorted`, with a result for each word; a group of a word that begins with `throw` cannot be finished. */
const byWord: Plugin = {
  ...base,
  kind: 'aggregate',
  name: 'by-word',
  groupFields: () => ['word'],
  create() {
    const plain = sorted.create({}, undefined as never) as Aggregate<string[]>;
    return {
      ...plain,
      *finishGroups(partial: string[], context: AggregateContext) {
        for (const word of [...partial].sort()) {
          const finish = () => {
            if (word.startsWith('throw')) throw new TypeError('asked to throw');
            return plain.finish([word], context);
          };
          yield { group: { word }, finish };
        }
      },
    };
  },
};

export const builtins: readonly Plugin[] = [
  texts,
  stream,
  endless,
  words,
  act,
  unmade,
  sorted,
  byWord,
  fileSource,
  fileSink,
];
