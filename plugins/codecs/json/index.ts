/** json: profiles as JSON, for jq, notebooks and tests. Reads what it writes; the layout is schemas/profile.schema.json. */
import { defineCodec } from '../../../core/index.js';
import { type JsonOptions, jsonSchema } from '../../../schemas/gen/options/json.js';
import { FORMAT } from './format.js';

const SPACE = 0x20;
const BRACE = 0x7b;
/** The first byte of UTF-8's. */
const BYTE_ORDER_MARK = 0xef;

export const jsonCodec = defineCodec<JsonOptions>({
  name: 'json',
  version: '1.0.0',
  api: '^1.0.0',
  summary: 'profiles as JSON: exact, versioned, with a schema',
  schema: jsonSchema,
  provides: ['addresses', 'symbols', 'lines'],
  decodes: true,
  encodes: true,
  extensions: ['.json'],
  detect(head) {
    const first = head.find((byte) => byte > SPACE);
    if (first !== BRACE && first !== BYTE_ORDER_MARK) return 0;
    const text = new TextDecoder().decode(head).trimStart();
    if (!text.startsWith('{')) return 0;
    return text.includes(`"${FORMAT}"`) ? 1 : 0.1;
  },
  create() {
    return {
      decode: async (input, { limits }) => (await import('./decode.js')).decodeProfile(input, limits),
      async encode(profile, context) {
        const { encodeProfile } = await import('./encode.js');
        const { pieces, invalidStrings } = encodeProfile(profile);
        if (invalidStrings > 0)
          context.warn('invalid_utf8', 'json: strings that are no UTF-8 were written with U+FFFD');
        if (profile.unknown !== undefined) {
          context.warn('unknown_fields', 'json: fields that profpipe does not know were left out');
          context.count('unknown_fields_dropped', profile.unknown.length);
        }
        return pieces;
      },
    };
  },
});
