/** What a plugin gets in a test: the same as in a run, without a run around it. */
import assert from 'node:assert/strict';
import { createBinaryStore } from '../binary/file-store.js';
import { defaultOptions } from '../config/default-options.js';
import { createContext } from '../engine/create-context.js';
import type { CreateContext, ItemContext, ItemInfo, Plugin } from '../engine/plugin.js';
import { defaultLimits } from '../formats/limits.js';

export function testCreateContext(): CreateContext {
  return createContext(createBinaryStore(), {}, new AbortController().signal);
}

export function testItem(index: number): ItemInfo {
  const digest = new Uint8Array(32);
  digest[31] = index;
  return { index, name: `input${index}`, uri: `input${index}`, digest };
}

export function testItemContext(): ItemContext {
  return {
    item: testItem(0),
    limits: defaultLimits,
    signal: new AbortController().signal,
    count: (_counter, amount = 1) => assert.ok(Number.isFinite(amount), `count(…, ${amount})`),
    warn: () => {},
  };
}

/** Options with their defaults. They cross threads, so they are plain data. */
export function optionsOf(plugin: Plugin, given: Readonly<Record<string, unknown>>): unknown {
  const { properties = {} } = plugin.schema as { readonly properties?: object };
  for (const name of Object.keys(given)) assert.ok(Object.hasOwn(properties, name), `no option is called "${name}"`);
  return structuredClone({ ...defaultOptions(plugin.schema), ...given });
}
