import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

test('the exit code that was set before holds behind the guards', () => {
  const guards = new URL('./guards.js', import.meta.url).href;
  const script = `import { installGuards } from ${JSON.stringify(guards)};
installGuards();
process.exitCode = 70;
process.exit();`;
  assert.equal(spawnSync(process.execPath, ['--input-type=module', '--eval', script]).status, 70);
});
