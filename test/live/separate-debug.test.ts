/** Debug information that was taken out of a program by objcopy: found again by link, by build ID, and in what is left inside. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openBinary } from '../../core/binary/open.js';
import { Budget } from '../../core/formats/limits.js';
import { chainAnswers } from '../helpers/agreement.js';
import { hasTool } from '../helpers/go-toolchain.js';
import type { PeerAnswer } from '../helpers/symbolizers.js';
import { temporaryFolder } from '../helpers/temporary.js';
import { textAddresses } from '../helpers/text-addresses.js';

const missing = (...tools: string[]) => {
  const absent = tools.filter((tool) => !hasTool(tool));
  return absent.length === 0 ? false : `NOT RUN: no ${absent.join(', ')} on this machine`;
};
const ADDRESSES = 3000;
const source = resolve('test/live/programs/steps.c');

interface Stripped {
  readonly path: string;
  /** What was taken out, in a folder where nobody looks for it. */
  readonly debugFile: string;
  readonly folder: string;
  readonly buildId: string;
  readonly addresses: readonly bigint[];
  /** Of the program before. */
  readonly answers: readonly PeerAnswer[];
}

function stripped(t: TestContext): Stripped {
  const folder = temporaryFolder(t);
  const path = join(folder, 'program');
  const debugFile = join(folder, 'kept', 'program.debug');
  mkdirSync(dirname(debugFile));
  execute('gcc', ['-std=gnu11', '-g', '-O2', '-fPIC', '-shared', '-Wl,--build-id', source, '-o', path], folder);
  const whole = openBinary(path);
  const addresses = textAddresses(path, ADDRESSES);
  const answers = chainAnswers(whole, addresses);
  whole.release();
  execute('objcopy', ['--only-keep-debug', path, debugFile], folder);
  execute('objcopy', ['--strip-all', `--add-gnu-debuglink=${debugFile}`, path], folder);
  return { path, debugFile, folder, buildId: whole.gnuBuildId!, addresses, answers };
}

function execute(command: string, args: readonly string[], folder: string): void {
  const { status, stderr, error } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
}

function answersOf({ path, addresses }: Stripped, folders: readonly string[] = []): PeerAnswer[] {
  const binary = openBinary(path, new Budget(), { folders });
  const answers = chainAnswers(binary, addresses);
  binary.release();
  return answers;
}

const skip = missing('gcc', 'objcopy');

test('without its debug file a stripped program has no lines', { skip }, (t) => {
  const answers = answersOf(stripped(t));
  assert.ok(answers.flat().every(([, file]) => file === ''));
});

for (const beside of ['program.debug', '.debug/program.debug']) {
  test(`by its link, the debug file at ${beside} gives what the program had`, { skip }, (t) => {
    const program = stripped(t);
    const place = join(program.folder, beside);
    mkdirSync(dirname(place), { recursive: true });
    renameSync(program.debugFile, place);
    assert.ok(program.answers.flat().length > 100);
    assert.deepEqual(answersOf(program), program.answers);
  });
}

test('by its build ID, the debug file in a folder of such gives what the program had', { skip }, (t) => {
  const program = stripped(t);
  const { buildId } = program;
  const place = join(program.folder, 'store', '.build-id', buildId.slice(0, 2), `${buildId.slice(2)}.debug`);
  mkdirSync(dirname(place), { recursive: true });
  renameSync(program.debugFile, place);
  assert.deepEqual(answersOf(program, [join(program.folder, 'store')]), program.answers);
});

test('a debug file that is not the one of the link is refused', { skip }, (t) => {
  const program = stripped(t);
  const other = readFileSync(program.debugFile);
  other[other.length - 1]! ^= 1;
  const place = join(program.folder, 'program.debug');
  writeFileSync(place, other);
  assert.ok(
    answersOf(program)
      .flat()
      .every(([, file]) => file === ''),
  );
  const binary = openBinary(program.path, new Budget(), { folders: [] });
  chainAnswers(binary, program.addresses);
  assert.match(binary.refusals.join(), /program\.debug/);
  binary.release();
});

test('of symbols that are left compressed inside come the names', { skip: missing('gcc', 'objcopy', 'xz') }, (t) => {
  const program = stripped(t);
  const mini = join(program.folder, 'mini');
  copyFileSync(program.debugFile, mini);
  execute('objcopy', ['--strip-debug', mini], program.folder);
  execute('xz', [mini], program.folder);
  execute('objcopy', [`--add-section=.gnu_debugdata=${mini}.xz`, program.path], program.folder);
  const outermost = (answers: readonly PeerAnswer[]) => answers.map((frames) => frames.at(-1)?.[0]);
  assert.deepEqual(outermost(answersOf(program)), outermost(program.answers));
});
