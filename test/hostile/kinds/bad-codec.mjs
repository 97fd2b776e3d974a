import { base, fail } from './base.mjs';

export default {
  ...base('codec', 'bad-codec'),
  decodes: true,
  encodes: true,
  extensions: ['.bad'],
  detect: () => fail('detect'),
  create: ({ how }) => ({
    decode: () => (how === 'decode' ? fail('decode') : { samples: [] }),
    encode: () => (how === 'encode' ? fail('encode') : ['text']),
  }),
};
