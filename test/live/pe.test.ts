/** C and C++ programs for Windows, built by MinGW, against what two of llvm-symbolizer, GNU addr2line and the Rust crate's binary agree on. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openBinary } from '../../core/binary/open.js';
import { compareWithPeers, describeDifferences } from '../helpers/agreement.js';
import { hasTool } from '../helpers/go-toolchain.js';
import { findSymbolizers, type PeerAnswer, type Symbolizer } from '../helpers/symbolizers.js';
import { temporaryFolder } from '../helpers/temporary.js';
import { codeAddresses } from '../helpers/text-addresses.js';

const MAX_ADDRESSES = 4_000;
/** Of the answers that two of the others agree on. */
const WANTED = 0.995;
const programs = resolve('test/live/programs');

for (const target of ['x86_64', 'i686']) {
  const gcc = `${target}-w64-mingw32-g++`;
  const symbolizers = findSymbolizers(`${target}-w64-mingw32-addr2line`).map((each) =>
    target === 'i686' ? undecorated(each) : each,
  );
  const skip = hasTool(gcc) ? false : `NOT RUN: no ${gcc} on this machine`;
  const noPeers =
    symbolizers.length > 1 ? skip : 'NOT RUN: it takes two of llvm-symbolizer, addr2line and its Rust crate';
  for (const flags of ['-O0', '-O2', '-O3 -gdwarf-4', '-Os -gdwarf-3', '-O1 -gdwarf-2']) {
    test(`${target}, ${flags}: frames are those that two others agree on`, { skip: noPeers }, (t) => {
      const binary = openBinary(build(t, gcc, flags));
      t.after(() => binary.release());
      const addresses = codeAddresses(binary, MAX_ADDRESSES);
      const { agreed, different } = compareWithPeers(binary, addresses, symbolizers);
      const withLines = different.filter(({ mine, wanted }) => [...mine, ...wanted].some(([, file]) => file !== ''));
      t.diagnostic(
        `${addresses.length} addresses, ${agreed} agreed on, ${withLines.length} differ, ${different.length - withLines.length} without lines`,
      );
      assert.ok(agreed > 0.5 * addresses.length, `agreed on ${agreed} of ${addresses.length}`);
      assert.ok(withLines.length <= (1 - WANTED) * agreed, describeDifferences(withLines));
      // The others let a symbol go on to the next one over padding, and leave out what has no type: assembly.
      assert.ok(different.length < 0.1 * agreed, describeDifferences(different));
    });
  }
}

function build(t: TestContext, compiler: string, flags: string): string {
  const folder = temporaryFolder(t);
  const sources = ['steps.c', 'containers.cc'].map((name) => join(programs, name));
  const c = compiler.replace('g++', 'gcc');
  execute(c, ['-std=gnu11', '-g', ...flags.split(' '), '-c', sources[0]!], folder);
  execute(compiler, ['-std=c++17', '-g', ...flags.split(' '), '-c', sources[1]!], folder);
  execute(compiler, ['-g', ...flags.split(' '), 'steps.o', 'containers.o', '-o', 'program.exe'], folder);
  return join(folder, 'program.exe');
}

function execute(command: string, args: readonly string[], folder: string): void {
  const { status, stderr, error } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
}

/** Symbols of 386 have an underscore more than the names of the source, which GNU addr2line takes away, as we do. */
function undecorated({ name, ask }: Symbolizer): Symbolizer {
  const bare = (answer: PeerAnswer): PeerAnswer =>
    answer.map(([symbol, ...place], row) => [row === answer.length - 1 ? symbol.replace(/^_/, '') : symbol, ...place]);
  return { name, ask: (...asked) => (name === 'addr2line' ? ask(...asked) : ask(...asked).map(bare)) };
}
