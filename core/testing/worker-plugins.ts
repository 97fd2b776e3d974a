/** All that a run needs besides the plugin under test, as a registry of its own: stacks as text go in and come out. */
import { defineCodec, defineSink, defineSource, type JsonSchema, type Plugin } from '../engine/contract/plugin.js';
import { profileOfStacks, stacksOfProfile } from '../profile/edit/stacks.js';

const MAX_BYTES = 2 ** 26;

const common = { version: '1.0.0', api: '^1.0.0', summary: 'for tests' };
const noOptions: JsonSchema = { type: 'object', additionalProperties: false };

const texts = defineSource<{ readonly texts: readonly string[] }>({
  ...common,
  name: 'texts',
  schema: { ...noOptions, properties: { texts: { type: 'array' } } },
  create: ({ texts: inputs }) => ({
    count: inputs.length,
    async *items() {
      for (const [index, text] of inputs.entries()) {
        const name = `input${index}`;
        yield { uri: name, name, data: { bytes: new TextEncoder().encode(text) } };
      }
    },
  }),
});

const stacks = defineCodec({
  ...common,
  name: 'stacks',
  schema: noOptions,
  decodes: true,
  encodes: true,
  extensions: ['.stacks'],
  create: () => ({
    async decode(input) {
      return profileOfStacks(new TextDecoder().decode(await input.readAll(MAX_BYTES)));
    },
    encode: (profile) => [new TextEncoder().encode(stacksOfProfile(profile))],
  }),
});

/** Something that keeps the bytes stands in for it. */
const nowhere = defineSink({
  ...common,
  name: 'nowhere',
  schema: noOptions,
  defaultCodec: 'stacks',
  create: () => ({
    labelKeys: [],
    destination: ({ index }) => String(index),
    prepare: async () => {},
    write: async () => ({ destination: '', bytes: 0 }),
  }),
});

export const builtins: readonly Plugin[] = [texts, stacks, nowhere];
