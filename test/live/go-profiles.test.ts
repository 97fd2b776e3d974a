/**
 * CPU profiles that real Go programs take of themselves, symbolized again from their stripped binaries: the runtime's own names and
 * places are the truth. Real mappings of the kernel, with and without build IDs, PIE and gcc's among them.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createBinaryStore } from '../../core/binary/file-store.js';
import { SymbolChains } from '../../core/binary/symbols/chain.js';
import { createContext } from '../../core/engine/tasks/create-context.js';
import { openInput } from '../../core/formats/compression/input.js';
import { Budget, defaultLimits } from '../../core/formats/limits.js';
import { type Profile, stringAt } from '../../core/profile/profile.js';
import { testItem } from '../../core/testing/context.js';
import { pprofCodec } from '../../plugins/codecs/pprof/index.js';
import { RuntimeNames } from '../../plugins/stages/symbolize/runtime-names.js';
import { symbolize } from '../../plugins/stages/symbolize/symbolize.js';
import { framesProgram, linkerFlags } from '../helpers/frames-program.js';
import { buildGo, goVersions, hasTool, noGo } from '../helpers/go-toolchain.js';
import { temporaryFolder } from '../helpers/temporary.js';

const isHere = process.arch === 'x64' && process.platform === 'linux';
const skip = isHere && hasTool('gcc') ? false : 'NOT RUN: needs gcc, on Linux on amd64';

interface Link {
  readonly flags?: readonly string[];
  readonly linkmode?: string;
  readonly cgo?: boolean;
}

const links: { readonly [name: string]: Link } = {
  plain: {},
  'PIE linked by gcc': { flags: ['-buildmode=pie'], linkmode: 'external', cgo: true },
  'with the race detector': { flags: ['-race'], cgo: true },
};

async function decode(bytes: Uint8Array): Promise<Profile> {
  const codec = await pprofCodec.create(
    { level: 6, compression: 'gzip' },
    createContext(createBinaryStore(), {}, new AbortController().signal),
  );
  return codec.decode!(openInput(bytes, new Budget()), {
    item: testItem(0),
    limits: defaultLimits,
    signal: new AbortController().signal,
    count: () => {},
    warn: (code, message) => assert.fail(`${code} ${message}`),
  });
}

/** Lines of a location, innermost first. */
function linesAt({ locations, functions, strings }: Profile, row: number) {
  const { lineStart, lines } = locations;
  return Array.from({ length: lineStart[row + 1]! - lineStart[row]! }, (_, index) => {
    const line = lineStart[row]! + index;
    const each = lines.function[line]!;
    const name = stringAt(strings, functions.name[each]!);
    const file = stringAt(strings, functions.filename[each]!);
    return { at: `${name}:${lines.line[line]}`, home: `${name} ${file} (${functions.startLine[each]})` };
  });
}

for (const version of goVersions(['1.22.12', '1.27.2'])) {
  for (const [name, { flags: further = [], linkmode, cgo = false }] of Object.entries(links)) {
    for (const isNamed of [false, true]) {
      const how = isNamed ? 'a named copy of the binary' : 'the file that the profile names';
      test(`go${version}, ${name}: ${how} gives what the runtime said`, { skip: skip || noGo(version) }, async (t) => {
        const flags = [
          ...further,
          linkerFlags(version, `-s -w ${linkmode === undefined ? '' : `-linkmode=${linkmode}`}`),
        ];
        const { path } = buildGo({ version, architecture: 'amd64', program: framesProgram, flags, cgo });
        const runtimes = await decode(execFileSync(path, ['profile'], { maxBuffer: 2 ** 28 }));
        const store = createBinaryStore();
        if (isNamed) {
          const copy = join(temporaryFolder(t), 'renamed');
          copyFileSync(path, copy);
          store.add([copy]);
        }
        const ours = symbolize(
          runtimes,
          { binaries: store, chains: new SymbolChains('simple'), runtimeNames: new RuntimeNames(undefined, []) },
          true,
        );
        assert.deepEqual(ours.warnings, []);
        const [report] = ours.report.mappings;
        // The race detector is C++, of which a stripped file tells nothing.
        const wanted = name === 'with the race detector' ? report!.locations - report!.kept : report!.locations;
        assert.equal(report!.symbolized, wanted, JSON.stringify(ours.report.mappings));
        assert.ok(report!.symbolized > 0.5 * report!.locations);
        // The runtime has one function a name, with the file of the first line that it came upon: of one in padding, say, that of a call
        // which was inlined before it (runtime/pprof, profileBuilder.emitLocation).
        const homes = new Set<string>();
        for (let row = 0; row < ours.profile.locations.length; row++) {
          for (const { home } of linesAt(ours.profile, row)) homes.add(home);
        }
        let [wrappers, otherHomes] = [0, 0];
        for (let row = 0; row < runtimes.locations.length; row++) {
          const mine = linesAt(ours.profile, row);
          const theirs = linesAt(runtimes, row);
          // The runtime leaves out a wrapper around an inlined method.
          if (mine.length === theirs.length + 1) {
            wrappers++;
            mine.pop();
          }
          assert.deepEqual(
            mine.map(({ at }) => at),
            theirs.map(({ at }) => at),
          );
          for (const [index, { home }] of theirs.entries()) {
            if (home !== mine[index]!.home) otherHomes++;
            assert.ok(homes.has(home), `${home}, ours ${mine[index]!.home}`);
          }
        }
        t.diagnostic(
          `${runtimes.locations.length} locations, ${wrappers} with a wrapper more, ${otherHomes} lines with another file of their function`,
        );
        assert.ok(runtimes.locations.length > 20);
        assert.ok(wrappers < 0.1 * runtimes.locations.length);
        assert.ok(otherHomes < 0.5 * runtimes.locations.length);
        store.close();
      });
    }
  }
}
