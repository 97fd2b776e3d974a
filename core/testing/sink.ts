/** What comes for free with each case of a sink. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import type { SinkItem, SinkPlugin } from '../engine/contract/plugin.js';
import { testCreateContext } from './context.js';

/** What a sink is given, by name. */
export type SinkInputs = readonly { readonly name: string; readonly bytes: Uint8Array }[];

/**
 * @param folder empty; that paths in the text start from
 * @returns a line for each item: its destination, and how many bytes were written
 * @throws AssertionError when it writes elsewhere than it says, or other bytes to a path
 */
export async function runSink(
  plugin: SinkPlugin<any>,
  options: unknown,
  inputs: SinkInputs,
  folder: string,
): Promise<string> {
  const sink = await plugin.create(options, testCreateContext());
  const labels = Object.fromEntries(sink.labelKeys.map((key) => [key, `${key}-value`]));
  const lines: string[] = [];
  await sink.prepare();
  for (const [index, { name, bytes }] of inputs.entries()) {
    const item: Omit<SinkItem, 'bytes'> = { name, index, labels };
    const said = sink.destination(item);
    const pieces = [bytes.slice(0, bytes.length >> 1), bytes.slice(bytes.length >> 1)];
    const { destination, bytes: written } = await sink.write({ ...item, bytes: pieces });
    assert.equal(sink.destination(item), said, 'the second time an item has another destination');
    assert.equal(destination, said, 'it was not written where destination() said');
    if (isAbsolute(destination) && existsSync(destination)) {
      assert.deepEqual(
        new Uint8Array(readFileSync(destination)),
        new Uint8Array(bytes),
        `${destination} has other bytes`,
      );
    }
    lines.push(`${isAbsolute(destination) ? relative(folder, destination) : destination} ${written} bytes\n`);
  }
  await sink.close?.();
  await sink.close?.();
  return lines.join('');
}
