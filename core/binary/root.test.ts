import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../test/helpers/temporary.js';
import { pathBeneath } from './root.js';

test('links of a container lead to places in the container', (t) => {
  const root = temporaryFolder(t);
  mkdirSync(join(root, 'usr/lib/alternatives'), { recursive: true });
  symlinkSync('usr/lib', join(root, 'lib'));
  symlinkSync('/usr/lib/libc-2.36.so', join(root, 'usr/lib/libc.so.6'));
  symlinkSync('../../../../../etc/shadow', join(root, 'usr/lib/escape'));
  symlinkSync('loop', join(root, 'loop'));
  const beneath = (path: string) => pathBeneath(root, path).slice(root.length);
  assert.equal(beneath('/lib/libc.so.6'), '/usr/lib/libc-2.36.so');
  assert.equal(beneath('/usr/lib/escape'), '/etc/shadow');
  assert.equal(beneath('/../../srv//app'), '/srv/app');
  assert.equal(beneath('/lib/alternatives/../absent'), '/usr/lib/absent');
  assert.equal(beneath('/loop/app'), '/loop/app');
});
