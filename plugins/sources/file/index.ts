/**
 * Files, folders and globs. Yields paths, not bytes: the worker that decodes a file also reads it, so the main thread never holds
 * a profile. Needs nothing; order stable.
 */
import {
  defineSource,
  itemName,
  refuseTerminal,
  type SourceItem,
  standardInput,
  UsageError,
} from '../../../core/index.js';
import { type FileSourceOptions, fileSourceSchema } from '../../../schemas/gen/options/file-source.js';

/** Sizes are looked up before the run for at most so many files: they only tell a small run from a large one. */
const SIZED_FILES = 64;

export const fileSource = defineSource<FileSourceOptions>({
  name: 'file',
  version: '1.0.0',
  api: '^1.0.0',
  summary: 'reads files, folders and globs',
  schema: fileSourceSchema,
  async create({ paths }) {
    const { findFiles, statAt } = await import('./find-files.js');
    const items: SourceItem[] = [];
    const seen = new Set<string>();
    for (const [index, pattern] of paths.entries()) {
      if (pattern === '-') {
        refuseTerminal('input.file: -');
        if (!items.some(isStream)) items.push(standardInput('stdin'));
        continue;
      }
      const files = findFiles(pattern);
      if (files === undefined)
        throw new UsageError('no-input', `nothing is at ${pattern}`, { option: ['paths', index] });
      for (const { path, display } of files) {
        const key = typeof path === 'string' ? path : Buffer.from(path).toString('latin1');
        // The same file under two patterns is one input.
        if (seen.has(key)) continue;
        seen.add(key);
        items.push({ uri: display, name: itemName(display), data: { path } });
      }
    }
    if (items.length === 0) {
      throw new UsageError('no-input', `no files in ${paths.join(', ')}`, { option: ['paths'] });
    }
    const sizeOf = ({ data }: SourceItem): number => {
      if (!('path' in data)) return 0;
      return statAt(typeof data.path === 'string' ? data.path : Buffer.from(data.path))?.size ?? 0;
    };
    const sizes = items.length > SIZED_FILES || items.some(isStream) ? [] : items.map(sizeOf);
    return {
      count: items.length,
      names: items.map(({ name }) => name),
      files: items.flatMap(({ data }) => ('path' in data && typeof data.path === 'string' ? [data.path] : [])),
      ...(sizes.length === 0 ? {} : { totalBytes: sizes.reduce((sum, size) => sum + size, 0) }),
      async *items() {
        yield* items;
      },
    };
  },
});

const isStream = ({ data }: SourceItem): boolean => 'stream' in data;
