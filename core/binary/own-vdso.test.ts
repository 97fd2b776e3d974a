import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Budget } from '../formats/limits.js';
import type { ObjectSymbol } from '../formats/symbols/symbol.js';
import { ProfileBuilder } from '../profile/edit/builder.js';
import type { Binary } from './binary.js';
import { createBinaryStore } from './file-store.js';
import { isVdsoName, openOwnVdso } from './own-vdso.js';
import { SymbolChain } from './symbols/chain.js';

const hasVdso = process.platform === 'linux' && readFileSync('/proc/self/maps', 'latin1').includes('[vdso]');
const skip = hasVdso ? false : 'this machine gives its processes no [vdso]';
const START = 0x7ffc_0000_0000n;

function find(buildId: string) {
  const builder = new ProfileBuilder({ sampleTypes: [{ type: 'cpu', unit: 'count' }] });
  const row = builder.mapping({ memoryStart: START, memoryLimit: START + 0x2000n, filename: '[vdso]', buildId });
  const store = createBinaryStore();
  return store.forMapping(builder.finish(), row);
}

/** The clock that every program reads: `__vdso_clock_gettime`, on arm64 `__kernel_clock_gettime`. */
function clockOf({ segments, symbolTables }: Binary): ObjectSymbol {
  const [table] = symbolTables;
  for (const { objectAddress, fileBytes } of segments.filter(({ executable }) => executable)) {
    for (let offset = 0; offset < fileBytes; offset += 16) {
      const symbol = table?.find(objectAddress + offset);
      if (symbol?.name.endsWith('clock_gettime')) return symbol;
    }
  }
  throw new Error('no clock');
}

test('a mapping of [vdso] with the build ID of this machine’s is read from memory', { skip }, () => {
  const own = openOwnVdso(new Budget(), { folders: [] });
  assert.ok(own.gnuBuildId);
  const mapped = find(own.gnuBuildId);
  assert.ok(mapped.binary);
  const { objectAddress, name } = clockOf(own);
  const found = mapped.toObjectAddress(START + BigInt(objectAddress) + 1n);
  assert.ok(found === objectAddress + 1);
  assert.equal(new SymbolChain(mapped.binary, (text) => text).lookup(found).frames?.[0]?.function, name);
  mapped.binary.release();
  assert.equal(clockOf(mapped.binary).name, name);
});

test('one with another build ID, or none, is not taken for this machine’s', { skip }, () => {
  const other = find('00'.repeat(20));
  assert.equal(other.binary, undefined);
  assert.equal(other.reason, 'build_id_differs');
  assert.match(other.message, /^\[vdso\] of this machine has build id/);
  assert.equal(find('').binary, undefined);
});

test('copies are known by their names', () => {
  for (const name of ['[vdso]', 'vdso', 'vdso64.so', 'vdso.so', 'linux-vdso.so.1']) assert.ok(isVdsoName(name), name);
  for (const name of ['libvdso.so', 'vdso.txt', 'app']) assert.ok(!isVdsoName(name), name);
});
