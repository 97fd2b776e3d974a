import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryFolder, writeInto } from '../../test/helpers/temporary.js';
import { ProfileBuilder } from '../profile/edit/builder.js';
import { createBinaryStore } from './file-store.js';
import { SymbolChain } from './symbols/chain.js';

const IMAGE = 0xffffffff81000000n;
const LIST = [
  'ffffffff80fff000 t before_the_image',
  'ffffffff81000000 T _text',
  'ffffffff81000010 T first',
  'ffffffff81000020 t second',
  'ffffffff81000030 D data',
  'ffffffffc0000000 t of_module\t[module]',
  'ffffffffc0001000 t bpf_prog_made\t[bpf]',
  '',
].join('\n');

/** What a mapping of the kernel's image leads to, by a folder that has one list. @param first where the recording says that the image begins */
function mapped(t: TestContext, list: string, first: bigint, buildId = 'aabbcc') {
  const folder = temporaryFolder(t);
  const path = join(folder, '.build-id', 'aa', 'bbcc', 'kallsyms');
  mkdirSync(dirname(path), { recursive: true });
  writeInto(dirname(path), 'kallsyms', list);
  const builder = new ProfileBuilder({ sampleTypes: [{ type: 'cpu', unit: 'count' }] });
  const filename = '[kernel.kallsyms]';
  const row = builder.mapping({
    memoryStart: first,
    memoryLimit: 2n ** 64n - 1n,
    fileOffset: first,
    filename,
    buildId,
  });
  const store = createBinaryStore();
  store.search({ folders: [folder] });
  t.after(() => store.close());
  return store.forMapping(builder.finish(), row);
}

function namesAt(found: ReturnType<typeof mapped>, addresses: readonly bigint[]) {
  assert.ok(found.binary);
  const chain = new SymbolChain(found.binary, (name) => name);
  return addresses.map((address) => {
    const objectAddress = found.toObjectAddress(address);
    if (objectAddress === undefined) return 'outside';
    const answer = chain.lookup(objectAddress);
    return answer.frames?.[0]?.function ?? (answer.frames === undefined ? answer.reason : '');
  });
}

test('functions of the image are named by the list of the same build ID', (t) => {
  const found = mapped(t, LIST, IMAGE);
  const addresses = [IMAGE - 1n, IMAGE + 0x10n, IMAGE + 0x2fn, IMAGE + 0x30n];
  assert.deepEqual(namesAt(found, addresses), ['outside', 'first', 'second', 'no_function']);
  assert.equal(mapped(t, LIST, IMAGE, 'aabbcd').binary, undefined);
});

test('the image may have been somewhere else when it was recorded; modules, and code that the kernel made, are not told by its build ID', (t) => {
  const moved = IMAGE + 0x1200_0000n;
  assert.deepEqual(namesAt(mapped(t, LIST, moved), [moved + 0x10n, moved + 0x25n]), ['first', 'second']);
  assert.deepEqual(namesAt(mapped(t, LIST, moved), [IMAGE + 0x10n]), ['outside']);
  const ofModules = [0xffffffffc0000000n, 0xffffffffc0001000n];
  assert.deepEqual(namesAt(mapped(t, LIST, IMAGE), ofModules), ['no_function', 'no_function']);
});

test('a list that is hidden, spoilt or of no kernel names nothing, and says why', (t) => {
  const reason = (list: string) => {
    const found = mapped(t, list, IMAGE);
    assert.ok(found.binary);
    const answer = new SymbolChain(found.binary, (name) => name).lookup(0x10);
    assert.ok(answer.frames === undefined);
    return `${answer.reason} ${answer.error?.code}`;
  };
  assert.equal(reason('0000000000000000 T _text\n'), 'spoilt_table E_KALLSYMS_HIDDEN');
  assert.equal(reason('rubbish\n'), 'spoilt_table E_KALLSYMS');
  assert.equal(reason('ffffffff81000000 T first\n'), 'spoilt_table E_KALLSYMS');
});
