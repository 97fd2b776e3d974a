/**
 * pprof: profiles of Go, google/pprof and many others (profile.proto). Reads gzip, zstd and uncompressed bytes, writes gzip.
 * Everything in the message survives, unknown fields too.
 */
import { defineCodec } from '../../../core/index.js';
import { type PprofOptions, pprofSchema } from '../../../schemas/gen/options/pprof.js';
import { detectProfile } from './detect.js';

export const pprofCodec = defineCodec<PprofOptions>({
  name: 'pprof',
  version: '1.0.0',
  api: '^1.0.0',
  summary: "reads and writes profile.proto, the format of Go's profiles and of google/pprof",
  schema: pprofSchema,
  provides: ['addresses', 'symbols', 'lines'],
  decodes: true,
  encodes: true,
  extensions: ['.pb.gz', '.pprof', '.pb', '.prof', '.pgo'],
  detect: detectProfile,
  create: (options) => ({
    decode: async (input, context) => (await import('./decode.js')).decodeProfile(input, context),
    decodeInPieces: async (input, context) => (await import('./decode-pieces.js')).decodeInPieces(input, context),
    encode: async (profile) => (await import('./encode.js')).encodeProfile(profile, options),
  }),
});
