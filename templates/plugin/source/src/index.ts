/** Reads the profiles that a text file lists, a path a line, in its order. Relative paths start from the list's folder. */
import { dirname, resolve } from 'node:path';
import { defineSource, itemName, type OptionsOf } from 'profpipe';

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['list'],
  properties: {
    list: {
      type: 'string',
      minLength: 1,
      format: 'existing-path',
      description: 'The file; empty lines and lines that begin with # do not count.',
    },
  },
} as const;

export default defineSource<OptionsOf<typeof schema>>({
  name: 'NAME',
  version: '0.1.0',
  api: '^1.0.0',
  summary: 'reads the profiles that a text file lists',
  schema,
  create({ list }, context) {
    const lines = new TextDecoder().decode(context.readFile(list)).split(/\r?\n/);
    const paths = lines.filter((line) => line !== '' && !line.startsWith('#'));
    return {
      // What is known before anything is read: outputs of one name are refused then, and the progress has an end.
      count: paths.length,
      names: paths.map(itemName),
      async *items() {
        // A worker reads the file; one that is not there is a dead letter, and the others continue.
        for (const path of paths) {
          yield { uri: path, name: itemName(path), data: { path: resolve(dirname(list), path) } };
        }
      },
    };
  },
});
