import assert from 'node:assert/strict';
import { test } from 'node:test';
import { binaryOf } from '../../test/helpers/binaries.js';
import type { Binary } from './binary.js';
import { locateBinary, type Opened } from './locate.js';
import type { Mapping } from './mapping.js';

const mapping: Mapping = {
  memoryStart: 0x7f0000001000n,
  memoryLimit: 0x7f0000005000n,
  fileOffset: 0x1000n,
  filename: '/srv/app',
  buildId: 'aa',
};
/** Code of another size. */
const larger: Partial<Binary> = {
  segments: [{ objectAddress: 0x1000, memoryBytes: 1 << 20, fileOffset: 0x1000, fileBytes: 1 << 20, executable: true }],
};

const nowhereElse = { folders: [], caches: [], toHost: (path: string) => path, isOwnKernel: () => false };

/** Outcome of a search among files by path: the path chosen, or the reason. */
function search(
  files: { [path: string]: Partial<Binary> | 'spoilt' },
  explicit: string[],
  wanted: Partial<Mapping> = {},
  isProgram = true,
  folders: string[] = [],
  caches: string[] = [],
  root = '',
): string {
  const open = (path: string): Opened => {
    const file = files[path];
    if (file === undefined) return { reason: 'no_binary', message: `${path}: no such file` };
    if (file === 'spoilt') return { reason: 'spoilt_file', message: `${path}: spoilt` };
    return { binary: binaryOf({ path, ...file }) };
  };
  const found = locateBinary(
    { ...mapping, ...wanted },
    {
      explicit,
      folders,
      caches,
      toHost: (path) => root + path,
      isProgram,
      isOwnKernel: (buildId) => buildId === 'aabbcc',
      open,
    },
  );
  return 'binary' in found ? found.binary.path : found.reason;
}

test('a named binary of the same build wins, whatever it is called', () => {
  const files = { '/b/other': { gnuBuildId: 'aa' }, '/b/app': { gnuBuildId: 'bb' } };
  assert.equal(search(files, ['/b/app', '/b/other']), '/b/other');
});

test('a named binary of the same base name is used when no build ID speaks against it', () => {
  assert.equal(search({ '/b/app': larger }, ['/b/app']), '/b/app');
  assert.equal(search({ '/b/app': { gnuBuildId: 'bb' } }, ['/b/app']), 'build_id_differs');
  assert.equal(search({ '/b/app': {}, '/b/x': {} }, ['/b/x', '/b/app'], { filename: '/srv/app (deleted)' }), '/b/app');
});

test('the only named binary is taken for the program when it fits, and for nothing else', () => {
  assert.equal(search({ '/b/x': {} }, ['/b/x']), '/b/x');
  assert.equal(search({ '/b/x': larger }, ['/b/x']), 'mapping_differs');
  assert.equal(search({ '/b/x': { gnuBuildId: 'bb' } }, ['/b/x']), 'build_id_differs');
  assert.equal(search({ '/b/x': {} }, ['/b/x'], { filename: '/lib/libc.so.6' }, false), 'no_binary');
  assert.equal(search({ '/b/x': {}, '/b/y': {} }, ['/b/x', '/b/y']), 'no_binary');
});

test('the mapping’s own file is used when its build ID is the same, or unknown and it fits', () => {
  assert.equal(search({ '/srv/app': { gnuBuildId: 'aa', ...larger } }, []), '/srv/app');
  assert.equal(search({ '/srv/app': {} }, []), '/srv/app');
  assert.equal(search({ '/srv/app': larger }, []), 'mapping_differs');
  assert.equal(search({ '/srv/app': { gnuBuildId: 'bb' } }, []), 'build_id_differs');
});

test('a refused named binary does not keep the right file from being found', () => {
  const files = { '/b/app': { gnuBuildId: 'bb' }, '/srv/app': { gnuBuildId: 'aa' } };
  assert.equal(search(files, ['/b/app']), '/srv/app');
});

test('a binary of the mapping’s build, found elsewhere than where one was named, comes with what was wrong with that one', () => {
  const open = (path: string): Opened => ({
    binary: binaryOf({ path, gnuBuildId: path === '/srv/app' ? 'aa' : 'bb' }),
  });
  const found = locateBinary(mapping, { ...nowhereElse, explicit: ['/b/x'], isProgram: true, open });
  assert.ok('binary' in found);
  assert.equal(found.binary.path, '/srv/app');
  assert.equal(found.passedOver, '/b/x has build id bb, /srv/app has aa: not used');
});

test('folders are looked through before the mapping’s own path: by build ID, as PPROF_BINARY_PATH, by path and by name', () => {
  const buildId = 'aabbcc';
  const candidates = [
    '/f/.build-id/aa/bbcc',
    '/f/.build-id/aa/bbcc/elf',
    '/f/aabbcc/app',
    '/f/srv/app',
    '/f/app',
    '/g/app',
    '/srv/app',
    '/perf/.build-id/aa/bbcc/elf',
  ];
  const files = Object.fromEntries(candidates.map((path) => [path, { gnuBuildId: buildId }]));
  for (const path of candidates) {
    assert.equal(search(files, [], { buildId }, true, ['/f', '/g'], ['/perf']), path);
    delete files[path];
  }
  assert.equal(search({ '/f/app': { gnuBuildId: 'dd' } }, [], { buildId }, true, ['/f']), 'build_id_differs');
  assert.equal(search({ '/f/app': larger }, [], {}, true, ['/f']), 'mapping_differs');
  assert.equal(search({ '/etc/app': {} }, [], { filename: '/../etc/app' }, true, ['/f']), 'no_binary');
});

test('relative paths and special mappings are not looked for on disk', () => {
  for (const filename of ['app', '[vdso]', '//anon', '']) {
    assert.equal(search({ [filename]: {} }, [], { filename, buildId: '' }, false), 'no_binary', filename);
  }
});

test('what the kernel gives without a file is found by its build ID, where perf has a copy', () => {
  const files = { '/perf/.build-id/aa/bbcc/vdso': { gnuBuildId: 'aabbcc' } };
  const inCache = (wanted: Partial<Mapping>) =>
    search(files, [], { filename: '[vdso]', ...wanted }, false, [], ['/perf']);
  assert.equal(inCache({ buildId: 'aabbcc' }), '/perf/.build-id/aa/bbcc/vdso');
  assert.equal(inCache({ buildId: 'aabb' }), 'no_binary');
  assert.equal(inCache({ buildId: '' }), 'no_binary');
});

test('the list of a kernel is found by its build ID: where perf has a copy, else the one that runs here', () => {
  const filename = '[kernel.kallsyms]';
  const files = {
    '/perf/.build-id/dd/ee/kallsyms': { gnuBuildId: 'ddee' },
    '/proc/kallsyms': { gnuBuildId: 'aabbcc' },
  };
  const find = (buildId: string) => search(files, [], { filename, buildId }, false, [], ['/perf']);
  assert.equal(find('ddee'), '/perf/.build-id/dd/ee/kallsyms');
  assert.equal(find('aabbcc'), '/proc/kallsyms');
  assert.equal(find('ff00'), 'no_binary');
  assert.equal(find(''), 'no_binary');
});

test('recorded paths are those of the root that is given', () => {
  const files = { '/srv/app': { gnuBuildId: 'bb' }, '/container/srv/app': { gnuBuildId: 'aa' } };
  assert.equal(search(files, [], {}, true, [], [], '/container'), '/container/srv/app');
});

test('the reason is that of the best candidate', () => {
  assert.equal(search({ '/b/app': 'spoilt' }, ['/b/app']), 'spoilt_file');
  assert.equal(search({}, ['/b/app']), 'no_binary');
});

test('a refusal by build ID names both', () => {
  const open = () => ({ binary: binaryOf({ path: '/b/app', gnuBuildId: 'bb' }) });
  const found = locateBinary(mapping, { ...nowhereElse, explicit: ['/b/app'], isProgram: true, open });
  assert.deepEqual(found, {
    reason: 'build_id_differs',
    message: '/b/app has build id bb, /srv/app has aa: not used',
  });
});

test('of a universal file the slice of the same build, or that fits, is taken', () => {
  const slice = (name: string, fields: Partial<Binary> = {}) => binaryOf({ path: name, ...fields });
  const file = (...siblings: Binary[]) => ({ '/b/app': { path: 'first', ...larger, gnuBuildId: 'cc', siblings } });
  const own = slice('own build', { gnuBuildId: 'aa', ...larger });
  const fitting = slice('fits');
  assert.equal(search(file(fitting, own), ['/b/app']), 'own build');
  assert.equal(search(file(fitting, own), ['/b/app'], { buildId: '' }), 'fits');
  assert.equal(search(file(own), ['/b/app'], { buildId: '' }), 'first');
  assert.equal(search(file(slice('other', { gnuBuildId: 'bb' })), ['/b/app']), 'build_id_differs');
});
