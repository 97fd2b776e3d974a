/**
 * Behaviours as a user sees them: each folder of test/cases holds a pipeline, its inputs, and all that the run must leave behind.
 *
 *     pipeline.yml      run in a copy of the folder
 *     NAME.stacks       a profile drawn as text (test/helpers/profiles.ts): becomes NAME.pb there, not compressed; other files stay as they are
 *     arguments         more arguments of `pipe run`, one a line; may be absent
 *     expected/         every file written; a `.pb.gz` stands as `pipe profile text` prints it, under its name with `.txt`
 *     expected/exit     the exit code, where it is not 0
 *
 * `UPDATE=1 npm test -- cases` writes `expected` anew: look at the difference before you commit it.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { checkProfile } from '../core/profile/check.js';
import { encodeProfile } from '../plugins/codecs/pprof/encode.js';
import { pipe, root } from './helpers/pipe.js';
import { profileOf } from './helpers/profiles.js';
import { temporaryFolder } from './helpers/temporary.js';

const cases = join(root, 'test', 'cases');
const update = process.env.UPDATE === '1';

/** Copies a case to where it runs. @returns names of the files that were put there */
async function layOut(from: string, to: string): Promise<string[]> {
  const inputs: string[] = [];
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (!entry.isFile() || entry.name === 'arguments') continue;
    const isDrawn = entry.name.endsWith('.stacks');
    const content = readFileSync(join(from, entry.name));
    const target = isDrawn ? entry.name.replace(/stacks$/, 'pb') : entry.name;
    writeFileSync(join(to, target), isDrawn ? await encodeDrawn(content.toString('utf8')) : content);
    inputs.push(target);
  }
  return inputs;
}

async function encodeDrawn(stacks: string): Promise<Uint8Array> {
  const profile = profileOf(stacks);
  assert.deepEqual(checkProfile(profile), []);
  return Buffer.concat(await encodeProfile(profile, { compression: 'none', level: 0 }));
}

/** What a run left in a folder, by path, as it stands under `expected`. */
function leftBehind(folder: string, inputs: readonly string[]): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => !inputs.includes(path));
  return new Map(
    files.sort().map((path) => {
      if (!path.endsWith('.pb.gz')) return [path, readFileSync(join(folder, path), 'utf8')];
      const { stdout, stderr } = pipe(['profile', 'text', join(folder, path)]);
      assert.equal(stderr, '');
      return [`${path}.txt`, stdout];
    }),
  );
}

function readExpected(folder: string): Map<string, string> {
  return new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]),
  );
}

for (const name of readdirSync(cases)) {
  test(name.replaceAll('-', ' '), async (t) => {
    const from = join(cases, name);
    const folder = temporaryFolder(t);
    const inputs = await layOut(from, folder);
    const more = existsSync(join(from, 'arguments')) ? readFileSync(join(from, 'arguments'), 'utf8').split('\n') : [];
    const { exitCode, stderr } = pipe(['run', 'pipeline.yml', ...more.filter((line) => line !== '')], { cwd: folder });
    const actual = leftBehind(folder, inputs);
    if (exitCode !== 0) actual.set('exit', `${exitCode}\n`);

    const expected = join(from, 'expected');
    if (update) {
      rmSync(expected, { recursive: true, force: true });
      for (const [path, text] of actual) {
        mkdirSync(dirname(join(expected, path)), { recursive: true });
        writeFileSync(join(expected, path), text);
      }
    }
    assert.deepEqual(actual, readExpected(expected), stderr);
  });
}
