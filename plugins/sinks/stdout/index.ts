/** Standard output: for one item, or behind an aggregate. The run stops when the reader has gone. */
import { once } from 'node:events';
import { defineSink, RunStopped } from '../../../core/index.js';
import { type StdoutSinkOptions, stdoutSinkSchema } from '../../../schemas/gen/options/stdout-sink.js';

export const stdoutSink = defineSink<StdoutSinkOptions>({
  name: 'stdout',
  version: '1.0.0',
  api: '^1.0.0',
  summary: 'writes to standard output',
  schema: stdoutSinkSchema,
  defaultCodec: 'pprof',
  create() {
    let gone: Error | undefined;
    const note = (error: Error): void => {
      gone = error;
    };
    process.stdout.on('error', note);
    return {
      labelKeys: [],
      destination: () => '-',
      prepare: async () => {},
      async write({ bytes }) {
        let written = 0;
        for (const piece of bytes) {
          if (gone === undefined && !process.stdout.write(piece))
            await Promise.race([once(process.stdout, 'drain'), once(process.stdout, 'close')]).catch(note);
          if (gone !== undefined) throw new RunStopped('E_WRITE', `standard output: ${gone.message}`, { cause: gone });
          written += piece.length;
        }
        return { destination: '-', bytes: written };
      },
      close: () => {
        process.stdout.off('error', note);
      },
    };
  },
});
