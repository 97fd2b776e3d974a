import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildGoBinary } from '../../test/helpers/go-binary.js';
import { temporaryFolder, writeInto } from '../../test/helpers/temporary.js';
import { type MappingSpec, ProfileBuilder } from '../profile/edit/builder.js';
import { NO_ROW, type Profile } from '../profile/profile.js';
import { createBinaryStore } from './file-store.js';

const { bytes } = buildGoBinary({
  functions: [{ name: 'main.main', lines: [[1, 0x100]] }],
  gnuBuildId: 'abcd',
});

function profileWith(...mappings: MappingSpec[]): Profile {
  const builder = new ProfileBuilder({ sampleTypes: [] });
  for (const mapping of mappings) builder.addMapping(mapping);
  return builder.finish();
}

test('a mapping is opened once, also when a stage has replaced other tables', (t) => {
  const path = writeInto(temporaryFolder(t), 'app', bytes);
  const store = createBinaryStore();
  store.add([path]);
  const profile = profileWith({ filename: '/srv/app', buildId: 'abcd' });
  const mapped = store.forMapping(profile, 0);
  assert.ok(mapped.binary);
  assert.equal(mapped.toObjectAddress(0x401100n), 0x1100);
  assert.equal(store.forMapping({ ...profile, period: 1n }, 0), mapped);
  assert.equal(store.stats.opened, 1);
  store.close();
});

test('a binary that is named later is seen by profiles that were asked about before', (t) => {
  const path = writeInto(temporaryFolder(t), 'app', bytes);
  const store = createBinaryStore();
  const profile = profileWith({ filename: '/srv/app' });
  assert.equal(store.forMapping(profile, 0).binary, undefined);
  store.add([path]);
  assert.equal(store.forMapping(profile, 0).binary?.path, path);
});

test('naming what is not there, or no file, is refused at once', (t) => {
  const folder = temporaryFolder(t);
  assert.throws(() => createBinaryStore().add([join(folder, 'absent')]), { code: 'ENOENT' });
  assert.throws(() => createBinaryStore().add(['/dev/null']), { code: 'E_NOT_REGULAR' });
});

test('in a folder that is named, a binary is found by its name', (t) => {
  const folder = temporaryFolder(t);
  const path = writeInto(folder, 'app', bytes);
  const store = createBinaryStore();
  store.add([folder]);
  assert.equal(store.forMapping(profileWith({ filename: '/srv/app', buildId: 'abcd' }), 0).binary?.path, path);
  const other = store.forMapping(profileWith({ filename: '/srv/app', buildId: 'dcba' }), 0);
  assert.equal(other.binary, undefined);
  assert.equal(other.reason, 'build_id_differs');
});

test('a profile without mappings takes the one binary that is named', (t) => {
  const folder = temporaryFolder(t);
  const [first, second] = [writeInto(folder, 'a', bytes), writeInto(folder, 'b', bytes)];
  const store = createBinaryStore();
  store.add([first]);
  assert.equal(store.forMapping(profileWith(), NO_ROW).binary?.path, first);
  assert.equal(store.forMapping(profileWith({ filename: '/x' }), NO_ROW).binary, undefined);
  store.add([second]);
  assert.equal(store.forMapping(profileWith(), NO_ROW).binary, undefined);
});

test('a mapping that names a FIFO or a folder is answered at once', (t) => {
  const folder = temporaryFolder(t);
  const fifo = join(folder, 'fifo');
  execFileSync('mkfifo', [fifo]);
  const store = createBinaryStore();
  for (const filename of [fifo, folder]) {
    const mapped = store.forMapping(profileWith({ filename }), 0);
    assert.equal(mapped.binary === undefined && mapped.reason, 'unreadable', filename);
  }
});

test('a spoilt file is a reason with its place, not an error', (t) => {
  const folder = temporaryFolder(t);
  const store = createBinaryStore();
  const cut = writeInto(folder, 'cut', bytes.subarray(0, bytes.length / 2));
  const script = writeInto(folder, 'script', '#!/bin/sh\n');
  const ofCut = store.forMapping(profileWith({ filename: cut }), 0);
  assert.equal(ofCut.binary === undefined && ofCut.reason, 'spoilt_file');
  assert.match(
    ofCut.binary === undefined ? ofCut.message : '',
    /cut: section headers?.*: 64 bytes at 0x.* are not all in the file \(got \d+, limit \d+\)/,
  );
  const ofScript = store.forMapping(profileWith({ filename: script }), 0);
  assert.equal(ofScript.binary === undefined && ofScript.reason, 'not_an_object_file');
  const bigEndian = writeInto(folder, 'big-endian', bytes.with(5, 2));
  const other = store.forMapping(profileWith({ filename: bigEndian }), 0);
  assert.equal(other.binary === undefined && other.reason, 'unsupported_file');
});

test('opened binaries are bounded; an evicted one can still be read', (t) => {
  const folder = temporaryFolder(t);
  const paths = ['a', 'b', 'c'].map((name) => writeInto(folder, name, bytes));
  const store = createBinaryStore({}, { bounds: { entries: 2, bytes: 2 ** 30 } });
  const binaries = paths.map((filename) => {
    const mapped = store.forMapping(profileWith({ filename, buildId: 'abcd' }), 0);
    assert.equal(mapped.binary?.go?.name(0), 'main.main');
    return mapped.binary;
  });
  assert.equal(store.stats.opened, 3);
  assert.equal(store.stats.evicted, 1);
  assert.equal(binaries[0]?.go?.name(0), 'main.main');
  const bounded = createBinaryStore({}, { bounds: { entries: 100, bytes: 1 } });
  for (const filename of paths) assert.ok(bounded.forMapping(profileWith({ filename, buildId: 'abcd' }), 0).binary?.go);
  assert.equal(bounded.stats.evicted, 2);
});

test('files that are missing take no place from opened binaries', (t) => {
  const folder = temporaryFolder(t);
  const filename = writeInto(folder, 'a', bytes);
  const store = createBinaryStore({}, { bounds: { entries: 1, bytes: 2 ** 30 } });
  for (let turn = 0; turn < 3; turn++) {
    assert.ok(store.forMapping(profileWith({ filename, buildId: 'abcd' }), 0).binary);
    assert.equal(store.forMapping(profileWith({ filename: join(folder, `${turn}`) }), 0).binary, undefined);
  }
  assert.deepEqual([store.stats.opened, store.stats.evicted], [1, 0]);
});
