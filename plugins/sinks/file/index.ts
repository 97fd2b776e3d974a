/** Files, each whole or not there at all; one an item, or one behind an aggregate. Guarantees what core/engine/outputs/atomic-file.ts does. */
import { existsSync, lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defineSink, prepareTarget, UsageError, writeFileAtomically } from '../../../core/index.js';
import { type FileSinkOptions, fileSinkSchema } from '../../../schemas/gen/options/file-sink.js';
import { type PathTemplate, parseTemplate } from './path-template.js';

export const fileSink = defineSink<FileSinkOptions>({
  name: 'file',
  version: '1.0.0',
  api: '^1.0.0',
  summary: 'writes files, atomically',
  schema: fileSinkSchema,
  create({ path }) {
    const template = readTemplate(path);
    const constant = template.fixed === path;
    /** Looking for what killed runs left behind takes longer the more a folder holds. */
    const prepared = new Set<string>();
    return {
      labelKeys: template.labelKeys,
      destination: (item) => template.expand(item),
      isThere: (destination) => lstatSync(destination, { throwIfNoEntry: false }) !== undefined,
      // Of a template only the folder before the first placeholder is known yet.
      prepare: () => prepareTarget(constant ? path : join(folderOf(template.fixed), '_')),
      async write(item) {
        const destination = template.expand(item);
        // Placeholders may stand for folders, too.
        const folder = dirname(destination);
        if (!constant && !(prepared.has(folder) && existsSync(folder))) {
          await prepareTarget(destination);
          prepared.add(folder);
        }
        return { destination, bytes: await writeFileAtomically(destination, item.bytes) };
      },
    };
  },
});

function readTemplate(path: string): PathTemplate {
  try {
    return parseTemplate(path);
  } catch (error) {
    throw new UsageError('bad-template', `output.file.path ${path}: ${(error as Error).message}`, { cause: error });
  }
}

const folderOf = (fixed: string): string => fixed.slice(0, fixed.lastIndexOf('/') + 1) || '.';
