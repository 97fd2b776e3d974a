/** What comes for free with each case of a source. */
import assert from 'node:assert/strict';
import { isAbsolute, relative } from 'node:path';
import type { Source, SourcePlugin } from '../engine/contract/plugin.js';
import { testCreateContext } from './context.js';

/**
 * @param folder that paths in the text start from
 * @returns a line for each item: name, uri, and how many bytes it brings, `file` where it names one, or `error` with its message
 * @throws AssertionError when the second run gives other items, or what it says of them is not so
 */
export async function runSource(plugin: SourcePlugin<any>, options: unknown, folder: string): Promise<string> {
  const first = await itemsOf(plugin, options, folder);
  assert.deepEqual(await itemsOf(plugin, options, folder), first, 'the second run gave other items');
  return first.map((line) => `${line}\n`).join('');
}

async function itemsOf(plugin: SourcePlugin<any>, options: unknown, folder: string): Promise<string[]> {
  const source = await plugin.create(options, testCreateContext());
  assert.notEqual(source.isEndless, true, 'a source without an end has no cases; test its functions by themselves');
  const shown = (path: string) => (isAbsolute(path) ? relative(folder, path) : path);
  const lines: string[] = [];
  const names: string[] = [];
  const files: string[] = [];
  let bytes = 0;
  for await (const item of source.items()) {
    names.push(item.name);
    if ('data' in item && 'path' in item.data && typeof item.data.path === 'string') files.push(item.data.path);
    if ('error' in item)
      lines.push(`${item.name} ${shown(item.uri)} error ${item.error.message.replaceAll(folder, '.')}`);
    else if ('stream' in item.data) lines.push(`${item.name} ${shown(item.uri)} stream`);
    else if ('bytes' in item.data) lines.push(`${item.name} ${shown(item.uri)} ${item.data.bytes.length} bytes`);
    else lines.push(`${item.name} ${shown(item.uri)} file`);
    bytes += 'error' in item ? 0 : 'bytes' in item.data ? item.data.bytes.length : (item.size ?? 0);
  }
  checkFacts(source, names, files, bytes);
  await source.close?.();
  return lines;
}

function checkFacts(
  { count, names, files, totalBytes }: Source,
  given: readonly string[],
  givenFiles: readonly string[],
  bytes: number,
): void {
  if (count !== undefined) assert.equal(given.length, count, 'the source gives another number of items than its count');
  if (names !== undefined) assert.deepEqual(given, names, 'the source gives other items than its names');
  if (files !== undefined) assert.deepEqual(givenFiles, files, 'the source gives other files than it says');
  if (totalBytes !== undefined) assert.equal(bytes, totalBytes, 'the items have other bytes than totalBytes');
}
