import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchBy } from './search.js';

test('what is not given comes from the environment; without servers nothing is fetched', () => {
  const environment = { PPROF_BINARY_PATH: '/a:/b', DEBUGINFOD_URLS: 'https://x/ https://y', XDG_CACHE_HOME: '/c' };
  assert.deepEqual(searchBy({}, environment), {
    folders: ['/a', '/b'],
    root: undefined,
    debuginfod: {
      servers: ['https://x/', 'https://y'],
      folder: '/c/profpipe/debuginfod',
      timeoutMs: 10_000,
      folderBytes: 2 ** 32,
    },
  });
  assert.deepEqual(searchBy({}, {}), { folders: [], root: undefined, debuginfod: undefined });
  assert.deepEqual(searchBy({ folders: [], servers: [] }, environment), {
    folders: [],
    root: undefined,
    debuginfod: undefined,
  });
  assert.equal(searchBy({ servers: ['http://z'], timeout: 0.5 }, environment).debuginfod?.timeoutMs, 500);
});
