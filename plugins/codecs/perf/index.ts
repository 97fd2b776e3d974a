/**
 * perf: recordings of Linux `perf record`, from a file or a pipe. Reads only. Call chains become stacks; captured registers and stacks
 * go along for the stage `unwind`.
 */
import { defineCodec } from '../../../core/index.js';
import { type PerfOptions, perfSchema } from '../../../schemas/gen/options/perf.js';
import { looksLikePerf } from './layout.js';

export const perfCodec = defineCodec<PerfOptions>({
  name: 'perf',
  version: '1.0.0',
  api: '^1.0.0',
  summary: 'reads perf.data files, of perf record',
  schema: perfSchema,
  provides: ['addresses', 'capture'],
  decodes: true,
  sharesParts: true,
  encodes: false,
  extensions: [],
  detect: looksLikePerf,
  async create(options, context) {
    const made =
      options.jitdumps.length === 0
        ? undefined
        : (await import('./read-dumps.js')).readDumps(options.jitdumps, context);
    return {
      async *decodeParts(input, context, share) {
        const { decodeParts } = await import('./decode.js');
        yield* decodeParts(input, options, context, share, made);
      },
    };
  },
});
