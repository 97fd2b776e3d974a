/** A signal's frame of arm64, as qemu lays it down for a program: what `unwind` reads there is what the registers were. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { registerFile } from '../../core/binary/unwind/registers.js';
import { FrameState } from '../../plugins/stages/unwind/frame-state.js';
import { beginsSignalReturn, crossSignal } from '../../plugins/stages/unwind/signal-return.js';
import { StackMemory } from '../../plugins/stages/unwind/stack-memory.js';
import { hasTool } from '../helpers/go-toolchain.js';
import { temporaryFolder } from '../helpers/temporary.js';

const source = fileURLToPath(new URL('../../../test/live/programs/unwind/signal-frame.c', import.meta.url));
const missing = ['clang', 'ld.lld', 'qemu-aarch64-static'].filter((tool) => !hasTool(tool));
const skip = missing.length > 0 && `NOT RUN: no ${missing.join(', no ')} on this machine`;
const FRAME_BYTES = 2048;

test('arm64: the registers that a signal interrupted', { skip }, (context) => {
  const program = join(temporaryFolder(context), 'signal-frame');
  const flags = ['--target=aarch64-linux-gnu', '-O1', '-ffreestanding', '-nostdlib', '-static', '-fuse-ld=lld'];
  execFileSync('clang', [...flags, '-o', program, source], { stdio: 'inherit' });
  const printed = execFileSync('qemu-aarch64-static', [program]);
  const pc = Number(printed.readBigUInt64LE());
  const stack = new Uint8Array(printed.subarray(8, 8 + FRAME_BYTES));
  const code = printed.subarray(8 + FRAME_BYTES);
  assert.ok(
    beginsSignalReturn('arm64', (at, length) => code.subarray(at, at + length), 0),
    code.toString('hex'),
  );

  const start = 0x7ffe_0000_0000;
  const memory = new StackMemory('arm64');
  memory.set(stack, start);
  const state = new FrameState(registerFile('arm64')!);
  state.registers[state.file.stackPointer] = start;
  assert.equal(crossSignal(state, memory), undefined);
  assert.equal(state.pc, pc);
  const numbers = Array.from({ length: 29 }, (_, at) => at + 2);
  assert.deepEqual(
    numbers.map((register) => state.registers[register]),
    numbers.map((register) => 1000 + register),
  );
  assert.ok(state.sp > 0x1000 && state.sp % 16 === 0, `stack pointer ${state.sp}`);
});
