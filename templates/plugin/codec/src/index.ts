/**
 * Profiles as text, a line each stack: the functions root first with `;` between them, a space, the value. Keeps function names and one
 * value a sample; addresses, lines and labels are not in it.
 */
import { defineCodec, FormatError, type OptionsOf, ProfileBuilder, plainProfile } from 'profpipe';

const schema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    type: { type: 'string', minLength: 1, default: 'samples', description: 'What the values are, when reading.' },
    unit: { type: 'string', minLength: 1, default: 'count', description: 'Their unit, when reading.' },
  },
} as const;

const MAX_BYTES = 256 * 2 ** 20;

export default defineCodec<OptionsOf<typeof schema>>({
  name: 'NAME',
  version: '0.1.0',
  api: '^1.0.0',
  summary: 'reads and writes stacks as text, a line each',
  schema,
  provides: ['symbols'],
  decodes: true,
  encodes: true,
  extensions: ['.NAME'],
  detect: (head) => (/^[^\n]*\S \d+\n/.test(new TextDecoder().decode(head)) ? 0.2 : 0),
  create({ type, unit }) {
    return {
      async decode(input) {
        const text = new TextDecoder().decode(await input.readAll(MAX_BYTES));
        const builder = new ProfileBuilder({ sampleTypes: [{ type, unit }] });
        for (const [index, line] of text.split('\n').entries()) {
          if (line === '') continue;
          const [, names, value] = /^(.*\S) (\d{1,15})$/.exec(line) ?? [];
          if (names === undefined || value === undefined) {
            throw new FormatError('E_LINE', `line ${index + 1}: a stack, a space and a whole number are wanted`);
          }
          const stack = names
            .split(';')
            .map((name) => builder.location({ lines: [{ function: builder.function({ name }), line: 0 }] }));
          builder.addSample({ stack: stack.reverse(), values: [Number(value)] });
        }
        return builder.finish();
      },
      encode(profile) {
        const lines = plainProfile(profile).samples.map(({ frames, values }) => {
          const names = frames.map(({ name }) => name).reverse();
          return `${names.join(';')} ${values[0]}\n`;
        });
        return [new TextEncoder().encode(lines.join(''))];
      },
    };
  },
});
