/** A case in worker threads: a whole run of the engine, around the plugin as its module exports it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plan } from '../config/plan.js';
import type { AggregatePlugin, StagePlugin } from '../engine/contract/plugin.js';
import { runPlan } from '../engine/run.js';

/** Two, so that partials cross threads. */
const WORKERS = 2;
const TIMEOUT_MS = 30_000;

/**
 * @param module whose default export holds the plugin
 * @param inputs stacks as text
 * @returns the output as text @throws AssertionError with what a run says of an item that fails
 */
export async function runInWorkers(
  module: URL,
  { kind, name }: StagePlugin<any, any> | AggregatePlugin<any, any>,
  options: unknown,
  inputs: readonly string[],
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'profpipe-case-'));
  const use = { plugin: name, options };
  const plan: Plan = {
    name: 'case',
    file: 'case',
    pluginModules: [module.href],
    source: { plugin: 'texts', options: { texts: inputs } },
    inputCodec: { plugin: 'stacks', options: {} },
    segments: kind === 'stage' ? [{ stages: [use] }] : [{ stages: [], aggregate: use }],
    outputs: [{ sink: { plugin: 'nowhere', options: {} }, codec: { plugin: 'stacks', options: {} } }],
    onError: 'dead-letter',
    deadLetter: join(folder, 'dead-letter'),
    isolation: 'thread',
    timeoutMs: TIMEOUT_MS,
    limits: {},
    secrets: [],
  };
  const outputs: string[] = [];
  try {
    const { failures, stopped } = await runPlan(plan, {
      registryModule: new URL('./worker-plugins.js', import.meta.url).href,
      workers: WORKERS,
      standIn: (sink) => ({
        ...sink,
        async write(item) {
          outputs.push(Buffer.concat(item.bytes).toString('utf8'));
          return { destination: sink.destination(item), bytes: 0 };
        },
      }),
    });
    assert.deepEqual(
      failures.map(({ code, message, pluginAt }) => `${code} ${message} ${pluginAt ?? ''}`.trim()),
      [],
      'in a worker it fails',
    );
    assert.equal(stopped, undefined);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return outputs.join('');
}
