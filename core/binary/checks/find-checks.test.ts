import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertFormatError } from '../../../test/helpers/format-error.js';
import { type DrawnFunction, drawnBinary } from '../../../test/helpers/machine-code.js';
import { FormatError } from '../../formats/errors.js';
import { checkInstructions } from './check.js';
import { findChecks } from './find-checks.js';

const panicIndex: DrawnFunction = { name: 'runtime.panicIndex', file: 'asm_amd64.s', code: 'c3' };
const panicBounds: DrawnFunction = { name: 'runtime.panicBounds', file: 'asm_amd64.s', code: 'c3' };
const duffzero: DrawnFunction = { name: 'runtime.duffzero', file: 'duff_amd64.s', code: 'c3' };

/** Bounds checks of a drawn function as "compares | jump | next", addresses as their labels. */
function boundsChecks(architecture: 'amd64' | 'arm64', code: string, others: DrawnFunction[] = []): string[] {
  const ret = architecture === 'amd64' ? 'c3' : 'd65f03c0';
  const runtime = [panicIndex, duffzero, ...others].map((drawn) => ({ ...drawn, code: ret }));
  const { binary, at } = drawnBinary(architecture, [{ name: 'main.f', code }, ...runtime]);
  const labels = [...code.matchAll(/(\S+):$/gm)].map(([, label]) => label!);
  const nameOf = (address: number) => labels.find((label) => at(0, label) === address) ?? address.toString(16);
  return findChecks(binary, 0).map((check) => {
    if (check.kind === 'nilcheck') return `${nameOf(check.load)} loads`;
    return `${check.compares.map(nameOf).join(',')} | ${nameOf(check.jump)} | ${nameOf(check.next)}`;
  });
}

test('a jump to the panic block at the end of the function', () => {
  const code = `
    compare:
      4839c8           # cmp rax, rcx
    jump:
      jae panic
    body:
      488b04c3         # mov rax, [rbx+rax*8]
      c3
    panic:
      call runtime.panicIndex`;
  assert.deepEqual(boundsChecks('amd64', code), ['compare | jump | body']);
});

test('loop rotation: the jump goes to the body, a padded jmp to the panic block', () => {
  const code = `
      jmp compare
    body:
      48ffc0           # inc rax
    compare:
      4839c8
    jump:
      jb body
      90               # nop
      jmp panic
      c3
    panic:
      4889d1           # mov rcx, rdx
      call runtime.panicIndex`;
  assert.deepEqual(boundsChecks('amd64', code), ['compare | jump | body']);
});

test('the panic block is the fall-through', () => {
  const code = `
    compare:
      4839c8
    jump:
      jb body
      31c0             # xor eax, eax
      call runtime.panicIndex
    body:
      c3`;
  assert.deepEqual(boundsChecks('amd64', code), ['compare | jump | body']);
});

test('nops and another jump on the same flags between compare and jump', () => {
  const code = `
    compare:
      4839c8
      0f1f4000         # nop dword [rax]
      jge out
      6690             # nop
    jump:
      jae panic
    body:
      c3
    out:
      c3
    panic:
      call runtime.panicIndex`;
  assert.deepEqual(boundsChecks('amd64', code), ['compare | jump | body']);
});

test('moves, also to memory, between compare and jump', () => {
  const code = `
    compare:
      4885c9           # test rcx, rcx
      48894c2408       # mov [rsp+8], rcx
      488d4b01         # lea rcx, [rbx+1]
    jump:
      jbe panic
    body:
      c3
    panic:
      call runtime.panicIndex`;
  assert.deepEqual(boundsChecks('amd64', code), ['compare | jump | body']);
});

test('every predecessor that sets the flags on its own', () => {
  const code = `
      4885d2           # test rdx, rdx
      je second
    first:
      4839c8
      jmp join
    second:
      4839cb           # cmp rbx, rcx
      jmp join
    third:
      4839ce           # cmp rsi, rcx
    join:
      4889c7           # mov rdi, rax
    jump:
      ja panic
    body:
      c3
    panic:
      call runtime.panicIndex`;
  assert.deepEqual(boundsChecks('amd64', code), ['first,second,third | jump | body']);
});

test('flags survive a call of duffzero, and no other call', () => {
  const code = (callee: string) => `
    compare:
      4839c8
      call ${callee}
    jump:
      ja panic
    body:
      c3
    panic:
      call runtime.panicIndex`;
  assert.deepEqual(boundsChecks('amd64', code('runtime.duffzero')), ['compare | jump | body']);
  const other = [{ name: 'main.g', code: '' }];
  assert.deepEqual(boundsChecks('amd64', code('main.g'), other), [' | jump | body']);
});

test('panic blocks in a row: each belongs to its own jump', () => {
  const code = `
    compare1:
      4839c8
    jump1:
      jae panic1
    compare2:
      4839cb
    jump2:
      ja panic2
    body:
      c3
    panic1:
      call runtime.panicIndex
    panic2:
      call runtime.panicIndex`;
  assert.deepEqual(boundsChecks('amd64', code), ['compare1 | jump1 | compare2', 'compare2 | jump2 | body']);
});

test('a panic without condition is no check, whatever jump leads to its code', () => {
  const code = `
      4839c8
      jl wrong
      c3
    wrong:
      480fafc1         # imul rax, rcx
      4839c8
      call runtime.panicIndex`;
  assert.deepEqual(boundsChecks('amd64', code), []);
});

test('a loop of jumps that leads to a panic ends', () => {
  const code = `
    self:
      jmp self
    other:
      jmp other
      call runtime.panicIndex`;
  assert.deepEqual(boundsChecks('amd64', code), []);
});

test('arm64: compare and b.cond, over another jump and in both directions', () => {
  const code = `
    compare:
      eb01001f         # cmp x0, x1
      b.ge out
    jump:
      b.hs panic
    body:
      f8607840         # ldr x0, [x2, x0, lsl #3]
    compare2:
      f100081f         # cmp x0, #2
    jump2:
      b.lo out
      d503201f         # nop
      b panic2
    out:
      d65f03c0
    panic:
      bl runtime.panicIndex
    panic2:
      8b040080         # add x0, x4, x4
      bl runtime.panicIndex`;
  assert.deepEqual(boundsChecks('arm64', code), ['compare | jump | body', 'compare2 | jump2 | out']);
});

test('arm64: cbz and cbnz are compare and jump in one', () => {
  const code = `
      eb02001f         # cmp x0, x2: another's
    jump:
      cbz:x1 panic
    jump2:
      cbnz:x1 body
      bl runtime.panicIndex
    body:
      d65f03c0
    panic:
      aa0103e0         # mov x0, x1
      bl runtime.panicIndex`;
  assert.deepEqual(boundsChecks('arm64', code), [' | jump | jump2', ' | jump2 | body']);
});

test('the kind of a check is in the name of its panic up to Go 1.25, in the pcdata from 1.26', () => {
  const code = `
      4839c8
      jae panic
      c3
    panic:
      call `;
  const kindOf = (drawn: DrawnFunction[]) =>
    findChecks(drawnBinary('amd64', drawn).binary, 0).map(({ check }) => check);
  const sliceB = { name: 'runtime.panicSliceBU', code: 'c3' };
  assert.deepEqual(kindOf([{ name: 'main.f', code: `${code}${sliceB.name}` }, sliceB]), ['slice-b']);
  const fromPcdata = (panicBounds_: number | undefined) =>
    kindOf([
      {
        name: 'main.f',
        code: `${code}runtime.panicBounds`,
        ...(panicBounds_ === undefined ? {} : { panicBounds: panicBounds_ }),
      },
      panicBounds,
    ]);
  assert.deepEqual(fromPcdata(0), ['index']);
  assert.deepEqual(fromPcdata(9 * 5 + 2), ['slice-acap']);
  assert.deepEqual(fromPcdata(8), ['slice-convert']);
  assert.deepEqual(fromPcdata(undefined), ['unknown']);
});

test('a nil check is a load of al without displacement, in compiled Go code only', () => {
  const code = `
    a:
      8400             # test [rax], al
    b:
      41844500         # test [r13+0], al
    no:
      844008           # test [rax+8], al
      8408             # test [rax], cl
      840418           # test [rax+rbx], al
      64 8400          # test fs:[rax], al
      84c0             # test al, al
    last:
      c3`;
  const loads = (file: string) => {
    const { binary, at } = drawnBinary('amd64', [{ name: 'main.f', file, code }]);
    const checks = findChecks(binary, 0);
    return checks.map((check) => [check.kind, check.kind === 'nilcheck' && check.load - at(0, 'a')]);
  };
  assert.deepEqual(loads('main.go'), [
    ['nilcheck', 0],
    ['nilcheck', 2],
  ]);
  assert.deepEqual(loads('memmove_amd64.s'), []);
});

test('arm64: a nil check is a byte load into x27; other uses of x27 are not', () => {
  const code = `
    load:
      3980003b         # ldrsb x27, [x1]
    next:
      3980043b         # ldrsb x27, [x1, #1]
      39800021         # ldrsb x1, [x1]
      a9400f62         # ldp x2, x3, [x27]
      d65f03c0`;
  const { binary, at } = drawnBinary('arm64', [{ name: 'main.f', code }]);
  assert.deepEqual(findChecks(binary, 0), [
    { kind: 'nilcheck', check: 'nil', load: at(0, 'load'), next: at(0, 'next') },
  ]);
});

test("the panic's own functions have no bounds checks", () => {
  const code = `
      4839c8
      jae panic
      c3
    panic:
      call runtime.panicBounds`;
  const { binary } = drawnBinary('amd64', [{ name: 'runtime.panicBounds64', code }, panicBounds]);
  assert.deepEqual(findChecks(binary, 0), []);
});

test('other panics alike in shape are no bounds checks', () => {
  const names = ['runtime.panicdivide', 'runtime.panicshift', 'runtime.panicmakeslicelen', 'runtime.panicdottypeE'];
  for (const name of names) {
    const code = `
      4839c8
      jae panic
      c3
    panic:
      call ${name}`;
    const { binary } = drawnBinary('amd64', [
      { name: 'main.f', code },
      { name, code: 'c3' },
    ]);
    assert.deepEqual(findChecks(binary, 0), [], name);
  }
});

test('a function made to be walked for ever is refused', () => {
  const jumps = Array.from({ length: 20_000 }, (_, i) => `jae panic${i}`).join('\n');
  const calls = Array.from({ length: 20_000 }, (_, i) => `panic${i}:\ncall runtime.panicIndex`).join('\n');
  const { binary } = drawnBinary('amd64', [{ name: 'main.f', code: `${jumps}\nc3\n${calls}` }, panicIndex]);
  assertFormatError(() => findChecks(binary, 0), 'E_LIMIT');
});

test('random bytes as code have checks only at their own instructions', () => {
  let state = 7;
  const random = () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state >>> 16;
  };
  for (let round = 0; round < 100; round++) {
    for (const architecture of ['amd64', 'arm64'] as const) {
      const words = Array.from({ length: 200 }, () => {
        const call = architecture === 'amd64' ? 'call' : 'bl';
        return random() % 8 === 0
          ? `${call} runtime.panicIndex`
          : Array.from({ length: 4 }, () => (random() & 0xff).toString(16).padStart(2, '0')).join('');
      });
      const { binary } = drawnBinary(architecture, [{ name: 'main.f', code: words.join('\n') }, panicIndex]);
      const [entry, end] = [binary.go!.entry(0), binary.go!.end(0)];
      for (const check of findChecks(binary, 0)) {
        for (const { objectAddress } of checkInstructions(check))
          assert.ok(objectAddress >= entry && objectAddress < end);
      }
    }
  }
});

test('a spoilt name of another function does not hide the checks of this one', () => {
  const code = `
    compare:
      4839c8
    jump:
      jae panic
      c3
    panic:
      call runtime.panicIndex`;
  const { binary } = drawnBinary('amd64', [{ name: 'main.f', code }, { name: 'main.g', code: 'c3' }, panicIndex]);
  const go = binary.go!;
  const name = (index: number) => {
    if (index === 1) throw new FormatError('E_TRUNCATED', 'string without end');
    return go.name(index);
  };
  assert.equal(findChecks({ ...binary, go: { ...go, name } }, 0).length, 1);
});
