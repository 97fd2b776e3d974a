/** goroutine: text of Go's goroutine profiles, `debug=1` and `debug=2`, and of crashes. Reads only; Go 1.16 … 1.27. */
import { defineCodec } from '../../../core/index.js';
import { type GoroutineOptions, goroutineSchema } from '../../../schemas/gen/options/goroutine.js';
import { findForm, isUtf16 } from './forms.js';

export const goroutineCodec = defineCodec<GoroutineOptions>({
  name: 'goroutine',
  version: '1.0.0',
  api: '^1.0.0',
  summary: "reads goroutines as text: Go's debug=1 and debug=2 profiles, panics",
  schema: goroutineSchema,
  provides: ['addresses', 'symbols', 'lines'],
  decodes: true,
  encodes: false,
  extensions: [],
  detect(head) {
    const form = findForm(isUtf16(head) ? head.filter((byte) => byte !== 0).subarray(2) : head);
    // Any log may hold a traceback.
    return form === 'counts' ? 1 : form === 'tracebacks' ? 0.7 : 0;
  },
  create: (options) => ({
    decode: async (input, context) => (await import('./decode.js')).decodeProfile(input, options, context),
  }),
});
