import { base, fail, never } from './base.mjs';

/** Misbehaves in the function that its option names; otherwise it keeps the last profile. */
export default {
  ...base('aggregate', 'bad-aggregate'),
  // With a limit, and nothing that tells their size: its partials come as bytes after every task.
  memoryLimit: () => 2 ** 20,
  create: ({ how }) => ({
    empty: () => (how === 'empty' ? fail('empty') : []),
    add: (partial, profile, item) => {
      if (how === 'add' && item.name === 'b') fail('add');
      return how === 'add-later' && item.name === 'b' ? Promise.resolve(partial) : [...partial, profile];
    },
    merge: (a, b) => (how === 'merge' ? fail('merge') : [...a, ...b]),
    encode: () => (how === 'encode' ? 'bytes' : [new Uint8Array(1)]),
    decode: () => (how === 'decode' ? fail('decode') : []),
    finish: () => {
      if (how === 'finish-blocks') for (;;);
      return how === 'finish' ? { samples: 'none' } : never;
    },
  }),
};
