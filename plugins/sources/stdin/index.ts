/** One input from standard input. */
import { defineSource, refuseTerminal, standardInput } from '../../../core/index.js';
import { type StdinSourceOptions, stdinSourceSchema } from '../../../schemas/gen/options/stdin-source.js';

export const stdinSource = defineSource<StdinSourceOptions>({
  name: 'stdin',
  version: '1.0.0',
  api: '^1.0.0',
  summary: 'reads one profile from standard input',
  schema: stdinSourceSchema,
  create({ name }) {
    refuseTerminal('input.stdin');
    return {
      count: 1,
      names: [name],
      async *items() {
        yield standardInput(name);
      },
    };
  },
});
