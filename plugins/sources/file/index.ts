/**
 * Files, folders and globs. Yields paths, not bytes: the worker that decodes a file also reads it, so the main thread never holds
 * a profile. Needs nothing; order stable.
 */
import {
  defineSource,
  itemName,
  type Limits,
  readStandardInput,
  refuseTerminal,
  type SourceItem,
  UsageError,
} from '../../../core/index.js';
import { type FileSourceOptions, fileSourceSchema } from '../../../schemas/gen/options/file-source.js';

/** Sizes are looked up before the run for at most so many files: they only tell a small run from a large one. */
const SIZED_FILES = 64;
/** Standing for standard input, as everywhere on a command line. */
const STDIN = '-';
const stdinItem = { uri: STDIN, name: 'stdin' };

export const fileSource = defineSource<FileSourceOptions>({
  name: 'file',
  version: '1.0.0',
  api: '^1.0.0',
  summary: 'reads files, folders and globs',
  schema: fileSourceSchema,
  async create({ paths }, { limits }) {
    const { findFiles, statAt } = await import('./find-files.js');
    const items: (SourceItem | typeof stdinItem)[] = [];
    const seen = new Set<string>();
    for (const [index, pattern] of paths.entries()) {
      if (pattern === STDIN) {
        refuseTerminal('input.file: -');
        if (!items.includes(stdinItem)) items.push(stdinItem);
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
    const files = items.filter((item) => item !== stdinItem) as SourceItem[];
    const sizeOf = ({ data }: SourceItem): number => {
      if (!('path' in data)) return data.bytes.length;
      return statAt(typeof data.path === 'string' ? data.path : Buffer.from(data.path))?.size ?? 0;
    };
    const sizes = files.length > SIZED_FILES || files.length < items.length ? [] : files.map(sizeOf);
    return {
      count: items.length,
      names: items.map(({ name }) => name),
      files: files.flatMap(({ data }) => ('path' in data && typeof data.path === 'string' ? [data.path] : [])),
      ...(sizes.length === 0 ? {} : { totalBytes: sizes.reduce((sum, size) => sum + size, 0) }),
      async *items() {
        for (const item of items) yield 'data' in item ? item : await readStdin(limits);
      },
    };
  },
});

async function readStdin(limits: Limits) {
  try {
    return { ...stdinItem, data: { bytes: await readStandardInput(limits) } };
  } catch (error) {
    return { ...stdinItem, error: error as Error };
  }
}
