import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StackspaceOptions } from '../../../schemas/gen/options/stackspace.js';
import { readProcessMetrics, withMetrics } from './process-metrics.js';

const read = (text: string) => readProcessMetrics(new TextEncoder().encode(text));

test('runtime/metrics as JSON: by name, or as a list of samples', () => {
  const metrics = { '/memory/classes/heap/stacks:bytes': 3407872, '/sched/threads/total:threads': 9 };
  assert.deepEqual(read(JSON.stringify(metrics)), { stacksBytes: 3407872, threads: 9 });
  assert.deepEqual(read(JSON.stringify({ pid: 7, runtime: { metrics } }, undefined, 2)), {
    stacksBytes: 3407872,
    threads: 9,
  });
  const list = Object.entries(metrics).map(([Name, Value]) => ({ Name, Value }));
  assert.deepEqual(read(JSON.stringify(list)), { stacksBytes: 3407872, threads: 9 });
  const boxed = list.map(({ Name: name, Value }) => ({ name, value: { kind: 1, value: String(Value) } }));
  assert.deepEqual(read(JSON.stringify(boxed)), { stacksBytes: 3407872, threads: 9 });
});

test('the metric comes before MemStats, which may be of another moment', () => {
  const memstats = { StackInuse: 1, StackSys: 2 };
  assert.deepEqual(read(JSON.stringify({ cmdline: ['a'], memstats })), { stacksBytes: 1, threads: 0 });
  const both = { memstats, '/memory/classes/heap/stacks:bytes': 3 };
  assert.equal(read(JSON.stringify(both)).stacksBytes, 3);
});

test('the texts of a heap profile and of a scrape', () => {
  const heap =
    'heap profile: 1: 2 [3: 4] @ heap/1048576\n\n# runtime.MemStats\n# Alloc = 4\n# Stack = 524288 / 589824\n';
  assert.deepEqual(read(heap), { stacksBytes: 524288, threads: 0 });
  const scrape = '# HELP go_threads …\ngo_threads 12\ngo_memstats_stack_inuse_bytes{job="a b"} 6.291456e+06\n';
  assert.deepEqual(read(scrape), { stacksBytes: 6291456, threads: 12 });
});

test('what is wrong is told with its place', () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    ['', /^no figure of stacks/],
    ['{"memstats": {"StackSys": 5}}', /^no figure of stacks/],
    ['{"memstats": {"StackInuse": 5', /^no valid JSON: /],
    ['{"memstats": {"StackInuse": -5}}', /^\$\["memstats"\]\["StackInuse"\]: -5 is no whole number/],
    ['{"memstats": {"StackInuse": 1e300}}', /: 1e\+300 is no whole number/],
    // What json.Marshal makes of metrics.Sample: its values have no exported fields.
    ['[{"Name": "/memory/classes/heap/stacks:bytes", "Value": {}}]', /^\$\[0\]: \{\} is no whole number/],
    ['heap profile: 1: 2\n# Stack = x / 3\n', /^line 2: "x" is no whole number/],
    ['go_memstats_stack_inuse_bytes NaN\n', /^line 1: "NaN" is no whole number/],
    ['\x1f', /^no figure of stacks/],
  ];
  for (const [text, message] of refused) assert.throws(() => read(text), { message }, text);
  assert.throws(() => readProcessMetrics(Uint8Array.of(0x1f, 0x8b, 8)), { message: /^compressed: / });
  assert.throws(() => readProcessMetrics(new Uint8Array(2 ** 26 + 1)), { message: /limit 67108864/ });
});

test('depth of JSON is no recursion of ours', () => {
  const depth = 100_000;
  assert.throws(() => read('['.repeat(depth) + ']'.repeat(depth)), { message: /no figure of stacks|no valid JSON/ });
});

test('figures that are given outright win', () => {
  const options = { stacks_bytes: 0, threads: 3, metrics: '/m.json' } as StackspaceOptions;
  const readFile = () => new TextEncoder().encode('{"StackInuse": 8, "/sched/threads/total:threads": 9}');
  assert.deepEqual(withMetrics(options, readFile), { ...options, stacks_bytes: 8 });
  assert.deepEqual(withMetrics({ ...options, stacks_bytes: 5, threads: 0 }, readFile), {
    ...options,
    stacks_bytes: 5,
    threads: 9,
  });
  assert.equal(withMetrics({ ...options, metrics: '' }, readFile).stacks_bytes, 0);
  assert.throws(() => withMetrics(options, () => new Uint8Array()), { message: /^metrics: \/m\.json: no figure/ });
});
