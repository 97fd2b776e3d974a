/** goroutine: text of Go's profiles, `debug=1` of all kinds and `debug=2`, and of crashes. Reads only; Go 1.16 … 1.27. */
import { defineCodec } from '../../../core/index.js';
import { type GoroutineOptions, goroutineSchema } from '../../../schemas/gen/options/goroutine.js';
import { findForm, isUtf16 } from './forms.js';

export const goroutineCodec = defineCodec<GoroutineOptions>({
  name: 'goroutine',
  version: '1.0.0',
  api: '^1.0.0',
  summary: "reads Go's profiles as text: goroutines (debug=1 and 2, panics), heap, allocs, block, mutex, threadcreate",
  schema: goroutineSchema,
  provides: ['addresses', 'symbols', 'lines'],
  decodes: true,
  encodes: false,
  extensions: [],
  detect(head) {
    const form = findForm(isUtf16(head) ? head.filter((byte) => byte !== 0).subarray(2) : head);
    // Any log may hold a traceback.
    return form === undefined ? 0 : form === 'tracebacks' ? 0.7 : 1;
  },
  create: (options) => ({
    decode: async (input, context) => (await import('./decode.js')).decodeProfile(input, options, context),
  }),
});
