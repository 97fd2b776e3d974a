/**
 * A folder that files come into: each complete one once, over restarts. Yields paths, not bytes; what is done is written down only when
 * its output is durable. Ends when the run is told to.
 */
import { resolve } from 'node:path';
import { defineSource, parseDuration, UsageError } from '../../../core/index.js';
import { type WatchSourceOptions, watchSourceSchema } from '../../../schemas/gen/options/watch-source.js';

export const watchSource = defineSource<WatchSourceOptions>({
  name: 'watch',
  version: '1.0.0',
  api: '^1.0.0',
  summary: 'reads each new file of a folder once, over restarts',
  schema: watchSourceSchema,
  async create(options) {
    const { path, checkpoint } = options;
    const below = resolve(checkpoint).startsWith(`${resolve(path)}/`);
    if (below && !/\/\.[^/]*$/.test(resolve(checkpoint))) {
      throw new UsageError(
        'checkpoint-watched',
        `${checkpoint} is in the folder that is watched; begin its name with a dot`,
        {
          option: ['checkpoint'],
        },
      );
    }
    const { Watcher } = await import('./watcher.js');
    return Watcher.open({
      ...options,
      everyMs: parseDuration(options.every),
      settleMs: parseDuration(options.settle),
    });
  },
});
