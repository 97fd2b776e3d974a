/** One input from standard input. Compressed bytes are held whole: the thread that decodes them cannot read the pipe itself. */
import { Budget, defineSource, UsageError } from '../../../core/index.js';
import { type StdinSourceOptions, stdinSourceSchema } from '../../../schemas/gen/options/stdin-source.js';

export const stdinSource = defineSource<StdinSourceOptions>({
  name: 'stdin',
  version: '1.0.0',
  api: '^1.0.0',
  summary: 'reads one profile from standard input',
  schema: stdinSourceSchema,
  create({ name }, { limits }) {
    if (process.stdin.isTTY)
      throw new UsageError('stdin-is-terminal', 'input.stdin: standard input is a terminal; pipe a profile into it');
    return {
      count: 1,
      names: [name],
      async *items() {
        try {
          yield { uri: '-', name, data: { bytes: await readStdin(new Budget(limits)) } };
        } catch (error) {
          yield { uri: '-', name, error: error as Error };
        }
      },
    };
  },
});

async function readStdin(budget: Budget): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) {
    budget.spend('fileBytes', piece.length, { section: 'stdin' });
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
