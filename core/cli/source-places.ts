/** Where the program's own code was written: files of `dist` are put together of many, and say so in the source maps beside them. */
import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapping } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { packageFolder } from './version.js';

export interface SourcePlace {
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

const ownFiles = join(packageFolder, 'dist', '/');
const maps = new Map<string, SourceMap | undefined>();

/** @param column from 1 @returns the place itself where it is not the program's, or nothing tells where it was written */
export function sourcePlace(file: string, line: number, column: number): SourcePlace {
  const map = file.startsWith(ownFiles) ? mapOf(file) : undefined;
  const { originalSource, originalLine }: Partial<SourceMapping> = map?.findEntry(line - 1, column - 1) ?? {};
  if (originalSource === undefined || originalLine === undefined) return { file, line };
  return { file: resolve(dirname(file), originalSource), line: originalLine + 1 };
}

/** An Error's `stack`, with the places where its functions were written. */
export function sourceStack(stack: string): string {
  return stack.replaceAll(/(file:[^\s()]+\.c?js):(\d+):(\d+)/g, (found, url: string, line: string, column: string) => {
    const file = fileURLToPath(url);
    const place = sourcePlace(file, Number(line), Number(column));
    return place.file === file ? found : `${pathToFileURL(place.file)}:${place.line}`;
  });
}

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readMap(`${file}.map`));
  return maps.get(file);
}

function readMap(path: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}
