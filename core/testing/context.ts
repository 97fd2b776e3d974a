/** What a plugin gets in a test: the same as in a run, without a run around it. */
import assert from 'node:assert/strict';
import { createBinaryStore } from '../binary/file-store.js';
import { Findings, formatFinding } from '../config/finding.js';
import { schemaProblems, validate } from '../config/validate.js';
import { readYaml } from '../config/yaml.js';
import type { CreateContext, DecodeContext, ItemInfo, Plugin, StageItemContext } from '../engine/contract/plugin.js';
import { createContext } from '../engine/tasks/create-context.js';
import { defaultLimits } from '../formats/limits.js';

export function testCreateContext(): CreateContext {
  return createContext(createBinaryStore(), {}, new AbortController().signal);
}

export function testItem(index: number): ItemInfo {
  const digest = new Uint8Array(32);
  digest[31] = index;
  return { index, name: `input${index}`, uri: `input${index}`, digest };
}

export function testItemContext(): DecodeContext & StageItemContext<unknown> {
  return {
    item: testItem(0),
    limits: defaultLimits,
    signal: new AbortController().signal,
    count: (_counter, amount = 1) => assert.ok(Number.isFinite(amount), `count(…, ${amount})`),
    warn: () => {},
    breaksOff: () => {},
    report: (value) => void structuredClone(value),
  };
}

/**
 * Options as a plugin gets them in a run: checked, with their defaults, relative paths from `base`. They cross threads.
 * @param json the text of options.json @throws AssertionError with all that is wrong
 */
export async function optionsOf(plugin: Plugin, json: string, base: string): Promise<unknown> {
  assert.deepEqual(await schemaProblems(plugin.schema), []);
  const findings = new Findings();
  const tree = readYaml({ file: 'options.json', bytes: new TextEncoder().encode(json), base }, findings);
  const checked = tree && validate(plugin.schema, tree, { where: 'options', base }, findings);
  assert.deepEqual(findings.sorted().map(formatFinding), []);
  const options = structuredClone(checked!.value);
  const problems = (await plugin.checkOptions?.(options)) ?? [];
  assert.deepEqual(problems, [], 'checkOptions finds something');
  return options;
}
