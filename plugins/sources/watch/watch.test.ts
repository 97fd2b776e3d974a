import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { processStart, type SourceItem } from '../../../core/index.js';
import { temporaryFolder, writeInto } from '../../../test/helpers/temporary.js';
import { Arrivals } from './arrivals.js';
import { Checkpoint } from './checkpoint.js';
import { watchSource } from './index.js';
import { type SeenFile, scanFolder, textOf } from './scan.js';
import { Watcher, type WatchOptions } from './watcher.js';

const seen = (key: string, size: number, modifiedNs = 1n): SeenFile => ({
  key,
  path: Buffer.from(`/in/${key}`),
  size,
  modifiedNs,
});
const keys = (files: readonly SeenFile[]) => files.map(({ key }) => key);

test('a file is complete when it has not changed for long enough, an empty one never', () => {
  const arrivals = new Arrivals(100);
  const none = () => false;
  const at = (nowMs: number, ...files: SeenFile[]) => keys(arrivals.complete(files, none, nowMs));
  assert.deepEqual(at(0, seen('a', 1), seen('empty', 0)), []);
  assert.deepEqual(at(99, seen('a', 1), seen('empty', 0)), []);
  assert.deepEqual(at(100, seen('a', 1), seen('empty', 0)), ['a']);
  assert.deepEqual(at(150, seen('a', 2)), []);
  assert.deepEqual(at(240, seen('a', 2, 2n)), []);
  // Gone and back: it is looked at from the start.
  assert.deepEqual(at(330), []);
  assert.deepEqual(at(350, seen('a', 2, 2n)), []);
  assert.deepEqual(at(450, seen('a', 2, 2n)), ['a']);
});

test('files that are complete together come oldest first, then by the bytes of their names', () => {
  const files = [seen('b', 1, 5n), seen('\xc3\xa9', 1, 5n), seen('z', 1, 4n), seen('a', 1, 5n), seen('done', 1, 1n)];
  assert.deepEqual(keys(new Arrivals(0).complete(files, ({ key }) => key === 'done', 0)), ['z', 'a', 'b', '\xc3\xa9']);
});

test('a scan takes regular files that match, subfolders and links as asked', (t) => {
  const root = temporaryFolder(t);
  mkdirSync(join(root, 'sub'));
  for (const name of ['a.pb', 'sub/b.pb', '.hidden.pb', 'c.pb.tmp', 'd.pb~', 'e.part', 'odd\n.pb', 'note.txt']) {
    writeFileSync(join(root, name), 'x');
  }
  writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff]), Buffer.from('.pb')]), 'x');
  symlinkSync(join(root, 'a.pb'), join(root, 'link.pb'));
  symlinkSync(root, join(root, 'sub', 'loop'));
  symlinkSync('/nowhere', join(root, 'broken.pb'));
  const scan = (change: Partial<WatchOptions>) =>
    keys(scanFolder(root, { match: ['**'], subfolders: false, links: false, ...change })).sort();
  assert.deepEqual(scan({}), ['a.pb', 'note.txt', 'odd\n.pb', '\xff.pb']);
  assert.deepEqual(scan({ match: ['*.pb'], subfolders: true }), ['a.pb', 'odd\n.pb', '\xff.pb']);
  assert.deepEqual(scan({ match: ['sub/*', 'a*'], subfolders: true }), ['a.pb', 'sub/b.pb']);
  assert.deepEqual(scan({ match: ['*.pb'], links: true }), ['a.pb', 'link.pb', 'odd\n.pb', '\xff.pb']);
  assert.equal(textOf('caf\xc3\xa9'), 'café');
  assert.throws(() => scanFolder(join(root, 'nowhere'), { match: ['**'], subfolders: false, links: false }), /ENOENT/);
});

test('a checkpoint holds what was recorded, whatever part of its last line is there', async (t) => {
  const path = join(temporaryFolder(t), 'state', 'checkpoint');
  const first = await Checkpoint.open(path);
  first.record(['a', '1:2']);
  first.record(['\xff"\n', '3:4']);
  first.record(['a', '5:6']);
  first.close();
  const whole = readFileSync(path);
  for (let cut = 0; cut <= 3; cut++) {
    appendFileSync(path, '["b","7:8"]\n'.slice(0, cut));
    const again = await Checkpoint.open(path);
    assert.equal(again.version('a'), '5:6');
    assert.equal(again.version('\xff"\n'), '3:4');
    assert.equal(again.version('b'), undefined);
    again.close();
    // Opened, it is written anew.
    assert.ok(readFileSync(path).length < whole.length);
  }
  writeFileSync(path, 'profpipe-watch 1\n["a","1:2"]\n["b"]\n');
  await assert.rejects(Checkpoint.open(path), { name: 'UsageError', code: 'bad-checkpoint', message: /line 3/ });
  writeFileSync(path, 'something else\n');
  await assert.rejects(Checkpoint.open(path), { code: 'bad-checkpoint', message: /line 1/ });
});

test('a checkpoint forgets files that are gone once most of it is of such, and loses nothing meanwhile', async (t) => {
  const path = join(temporaryFolder(t), 'checkpoint');
  const checkpoint = await Checkpoint.open(path);
  for (let file = 0; file < 1_500; file++) checkpoint.record([`f${file}`, '1:1']);
  await checkpoint.compact(new Set(Array.from({ length: 1_000 }, (_, file) => `f${file}`)));
  assert.equal(checkpoint.version('f1499'), '1:1');
  const compacted = checkpoint.compact(new Set(['f1', 'f2']));
  checkpoint.record(['late', '2:2']);
  await compacted;
  assert.equal(checkpoint.version('f1499'), undefined);
  checkpoint.close();
  const again = await Checkpoint.open(path);
  assert.deepEqual(
    ['f1', 'f2', 'late', 'f3'].map((key) => again.version(key)),
    ['1:1', '1:1', '2:2', undefined],
  );
  again.close();
  assert.ok(statSync(path).size < 100);
});

const promised = async (path: string, outputs: readonly string[]): Promise<Checkpoint> => {
  const checkpoint = await Checkpoint.open(path);
  checkpoint.record(['before', '1:1']);
  checkpoint.promise({
    files: [
      ['a', '1:1'],
      ['b', '2:2'],
    ],
    partly: [],
    outputs,
  });
  return checkpoint;
};

test('files of one output are done once all of it is there, and none of it is left where it is not', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'checkpoint');
  const outputs = [join(folder, 'one'), join(folder, 'two')];
  const versions = (checkpoint: Checkpoint) => ['before', 'a', 'b'].map((key) => checkpoint.version(key));

  (await promised(path, outputs)).close();
  writeInto(folder, 'one', 'half of it');
  const first = await Checkpoint.open(path);
  assert.deepEqual(versions(first), ['1:1', undefined, undefined]);
  assert.ok(!existsSync(outputs[0]!));
  first.close();

  const killed = await promised(path, outputs);
  for (const output of ['one', 'two']) writeInto(folder, output, 'all of it');
  killed.record(['a', '1:1']);
  killed.close();
  const second = await Checkpoint.open(path);
  assert.deepEqual(versions(second), ['1:1', '1:1', '2:2']);
  second.close();
});

test('what became of outputs once their files were done is not looked at', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'checkpoint');
  const outputs = [join(folder, 'taken away'), join(folder, 'one')];
  const checkpoint = await promised(path, outputs);
  checkpoint.record(['a', '1:1']);
  checkpoint.record(['b', '2:2']);
  writeInto(folder, 'one', 'all of it');
  // Most is forgotten, a and b too.
  for (let file = 0; file < 1_500; file++) checkpoint.record([`f${file}`, '1:1']);
  await checkpoint.compact(new Set(['before']));
  checkpoint.close();
  (await Checkpoint.open(path)).close();
  assert.ok(existsSync(outputs[1]!));
});

test('a promise is not lost when the checkpoint is written anew', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'checkpoint');
  const checkpoint = await promised(path, [join(folder, 'one')]);
  for (let file = 0; file < 1_500; file++) checkpoint.record([`f${file}`, '1:1']);
  const compacted = checkpoint.compact(new Set(['before']));
  checkpoint.record(['a', '1:1']);
  await compacted;
  checkpoint.close();
  writeInto(folder, 'one', 'all of it');
  const again = await Checkpoint.open(path);
  assert.equal(again.version('b'), '2:2');
  again.close();
});

test('of a file that is done in part the checkpoint says how far, until it is done or another', async (t) => {
  const path = join(temporaryFolder(t), 'checkpoint');
  const first = await Checkpoint.open(path);
  first.recordPartly(['a', '1:1', 100, 200]);
  first.recordPartly(['a', '1:1', 100, 300]);
  first.recordPartly(['b', '2:2', 101, 200]);
  first.recordPartly(['c', '3:3', 102, 300]);
  first.record(['b', '2:2']);
  first.close();
  for (let times = 0; times < 2; times++) {
    const again = await Checkpoint.open(path);
    assert.deepEqual(again.written(['a', '1:1']), { arrivalMs: 100, untilMs: 300 });
    assert.equal(again.version('a'), undefined);
    assert.equal(again.written(['a', '1:2']), undefined);
    assert.equal(again.written(['b', '2:2']), undefined);
    again.close();
  }
  const compacted = await Checkpoint.open(path);
  for (let file = 0; file < 1_500; file++) compacted.record([`f${file}`, '1:1']);
  await compacted.compact(new Set(['a']));
  compacted.close();
  const last = await Checkpoint.open(path);
  assert.deepEqual(last.written(['a', '1:1']), { arrivalMs: 100, untilMs: 300 });
  assert.equal(last.written(['c', '3:3']), undefined);
  last.close();
  writeFileSync(path, 'profpipe-watch 1\n["a","1:2",5,"6"]\n');
  await assert.rejects(Checkpoint.open(path), { code: 'bad-checkpoint', message: /line 2/ });
});

test('files are done in part once the outputs of those windows are there', async (t) => {
  const folder = temporaryFolder(t);
  const path = join(folder, 'checkpoint');
  const output = join(folder, 'window');
  const killed = async (untilMs: number) => {
    const checkpoint = await Checkpoint.open(path);
    checkpoint.promise({ files: [], partly: [['a', '1:1', 100, untilMs]], outputs: [output] });
    return checkpoint;
  };
  const writtenUntil = async () => {
    const checkpoint = await Checkpoint.open(path);
    checkpoint.close();
    return checkpoint.written(['a', '1:1'])?.untilMs;
  };
  (await killed(200)).close();
  assert.equal(await writtenUntil(), undefined);
  (await killed(200)).close();
  writeInto(folder, 'window', 'all of it');
  assert.equal(await writtenUntil(), 200);
  rmSync(output);
  (await killed(300)).close();
  assert.equal(await writtenUntil(), 200);
  // Somebody took the output away when it was there.
  const kept = await killed(300);
  kept.recordPartly(['a', '1:1', 100, 300]);
  kept.close();
  assert.equal(await writtenUntil(), 300);
});

const open = (t: TestContext, change: Partial<WatchOptions> = {}) => {
  const root = temporaryFolder(t);
  const options = { path: join(root, 'in'), checkpoint: join(root, 'checkpoint'), match: ['**'], ...change };
  mkdirSync(options.path, { recursive: true });
  return {
    root,
    folder: options.path,
    options: { everyMs: 5, settleMs: 0, subfolders: false, links: false, ...options },
  };
};

test('each file comes once, over restarts; what was not settled comes again; what is written again is another', async (t) => {
  const { folder, options } = open(t);
  const file = writeInto(folder, 'cpu.pb.gz', 'one');
  utimesSync(file, 1_000, 1_000);
  const names: string[] = [];
  const next = async (items: AsyncGenerator<SourceItem>) => {
    const { value } = await items.next();
    names.push(value.name);
    return value as SourceItem;
  };

  const first = await Watcher.open(options);
  const items = first.items();
  await (await next(items)).settled?.('delivered');
  utimesSync(writeInto(folder, 'heap.pb.gz', 'two'), 2_000, 2_000);
  await next(items);
  first.close();
  assert.equal((await items.next()).done, true);

  const second = await Watcher.open(options);
  const rest = second.items();
  await (await next(rest)).settled?.('dead-lettered');
  writeInto(folder, 'new.tmp', 'three');
  renameSync(join(folder, 'new.tmp'), file);
  utimesSync(file, 1_763_740_440.125, 1_763_740_440.125);
  const again = await next(rest);
  assert.deepEqual(again.data, { path: file });
  assert.deepEqual(names, ['cpu', 'heap', 'heap', 'cpu@20251121T155400.125Z']);
  second.close();
  second.close();
});

test('a file comes again with the windows that it was written into', async (t) => {
  const { root, folder, options } = open(t);
  writeInto(folder, 'a.pb', 'one');
  const first = await Watcher.open(options);
  const { value: a } = (await first.items().next()) as { value: SourceItem };
  assert.equal(a.written, undefined);
  first.settling([], [join(root, 'window')], new Map([[a, { arrivalMs: 100, untilMs: 200 }]]));
  writeInto(root, 'window', 'all of it');
  first.close();

  const second = await Watcher.open(options);
  const { value: again } = (await second.items().next()) as { value: SourceItem };
  assert.deepEqual(again.written, { arrivalMs: 100, untilMs: 200 });
  await again.partlySettled?.({ arrivalMs: 100, untilMs: 300 });
  second.close();

  const third = await Watcher.open(options);
  const { value: last } = (await third.items().next()) as { value: SourceItem };
  assert.deepEqual(last.written, { arrivalMs: 100, untilMs: 300 });
  await last.settled?.('delivered');
  third.close();
});

test('a folder that is gone is looked at again, and one checkpoint serves one run', async (t) => {
  const { folder, options } = open(t);
  const watcher = await Watcher.open(options);
  await assert.rejects(Watcher.open(options), { code: 'in-use', message: new RegExp(`process ${process.pid} uses`) });
  rmSync(folder, { recursive: true });
  const items = watcher.items();
  const pending = items.next();
  while ((watcher.facts().counters.failed_scans ?? 0) < 3) await sleep(1);
  mkdirSync(folder);
  writeInto(folder, 'a.pb', 'x');
  assert.equal((await pending).value?.name, 'a');
  watcher.close();
  assert.ok(!existsSync(`${options.checkpoint}.lock`));
  // A process that is gone holds no lock.
  writeFileSync(`${options.checkpoint}.lock`, '2147483646 12345\n');
  (await Watcher.open(options)).close();
  // One without text is being written, or its process was ended just then.
  writeFileSync(`${options.checkpoint}.lock`, '');
  const refused = assert.rejects(Watcher.open(options), { code: 'in-use' });
  writeFileSync(`${options.checkpoint}.lock`, `${process.pid} ${await processStart(process.pid)}\n`);
  await refused;
  writeFileSync(`${options.checkpoint}.lock`, '');
  (await Watcher.open(options)).close();
});

test('a checkpoint in the watched folder must have a name that is not watched', async (t) => {
  const { folder } = open(t);
  const at = (checkpoint: string) =>
    (async () =>
      watchSource.create(
        { path: folder, checkpoint, match: ['**'], every: '1s', settle: '0s', subfolders: false, links: false },
        {} as never,
      ))();
  await assert.rejects(at(join(folder, 'state')), { code: 'checkpoint-watched' });
  await (await at(join(folder, '.state'))).close?.();
});
