/** Writes each output to a file of its own in a folder, with a number in front of its name, so that they sort as the inputs did. */
import { join } from 'node:path';
import { defineSink, type OptionsOf, prepareTarget, writeFileAtomically } from 'profpipe';

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['folder'],
  properties: {
    folder: { type: 'string', minLength: 1, format: 'path', description: 'Made when it is not there.' },
    digits: { type: 'integer', minimum: 1, maximum: 9, default: 4, description: 'Of the number, with zeros in front.' },
    ending: { type: 'string', default: '.pb.gz', description: 'Of the names.' },
  },
} as const;

export default defineSink<OptionsOf<typeof schema>>({
  name: 'NAME',
  version: '0.1.0',
  api: '^1.0.0',
  summary: 'writes numbered files into a folder',
  schema,
  defaultCodec: 'pprof',
  create({ folder, digits, ending }) {
    const pathOf = (index: number, name: string) =>
      join(folder, `${String(index + 1).padStart(digits, '0')}-${name}${ending}`);
    return {
      labelKeys: [],
      destination: ({ index, name }) => pathOf(index, name),
      // Before anything is read: what cannot be written is found at once.
      prepare: () => prepareTarget(pathOf(0, '')),
      // Whole or not at all, on disk when it returns.
      async write({ index, name, bytes }) {
        const destination = pathOf(index, name);
        return { destination, bytes: await writeFileAtomically(destination, bytes) };
      },
    };
  },
});
