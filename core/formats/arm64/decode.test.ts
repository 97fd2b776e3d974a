import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { Flow, Trait } from '../instructions.js';
import { decodeArm64 } from './decode.js';

const BASE = 0x10000;

interface Disassembled {
  readonly mnemonic: string;
  readonly opStr: string;
}

/** Capstone, by another team and another method: it disassembles to text. */
async function capstone(): Promise<(word: number) => Disassembled | undefined> {
  const loaded = await createRequire(import.meta.url)('@alexaltea/capstone-js').default();
  const disassembler = new loaded.Capstone(loaded.ARCH_ARM64, loaded.MODE_LITTLE_ENDIAN);
  return (word) => {
    const bytes = [word & 0xff, (word >>> 8) & 0xff, (word >>> 16) & 0xff, word >>> 24];
    try {
      const [found] = disassembler.disasm(bytes, BASE);
      return found === undefined ? undefined : { mnemonic: found.mnemonic, opStr: found.op_str ?? found.opStr ?? '' };
    } catch {
      return undefined;
    }
  };
}

const settingFlags =
  /^(cmp|cmn|tst|adds|subs|ands|bics|adcs|sbcs|negs|ngcs|ccmp|ccmn|fcmpe?|fccmpe?|rmif|setf8|setf16|cfinv|axflag|xaflag)$/;
/** `bics` into the zero register is a compare that has no name of its own. */
const comparing = /^(cmp|cmn|tst|ccmp|ccmn|bics [wx]zr,.*)\b/;

function flowByText({ mnemonic }: Disassembled): number {
  if (/^(b|bc?\.(al|nv))$/.test(mnemonic)) return Flow.jump;
  if (/^bc?\./.test(mnemonic)) return Flow.branch;
  if (/^(cbn?z|tbn?z)$/.test(mnemonic)) return Flow.testBranch;
  if (/^(bl|blr|blra.*)$/.test(mnemonic)) return Flow.call;
  if (/^(br|bra.*|ret|reta.*|eret.*|drps|brk|hlt|hvc|smc|dcps\d|tcancel|udf)$/.test(mnemonic)) return Flow.end;
  return Flow.next;
}

/** Words of every encoding group that the decoder looks into: fixed bits from a form, the others by a small generator. */
function* words(count: number): Generator<number> {
  const forms: readonly (readonly [fixed: number, mask: number])[] = [
    [0x14000000, 0x7c000000],
    [0x54000000, 0xff000010],
    [0x34000000, 0x7c000000],
    [0xd6000000, 0xfe1ffc1f],
    [0x11000000, 0x1f800000],
    [0x12000000, 0x1f800000],
    [0x0a000000, 0x1f000000],
    [0x0b000000, 0x1f000000],
    [0x1a000000, 0x1fe00000],
    [0x1a400000, 0x1fe00000],
    [0x1e202000, 0xff203c00],
    [0x1e200400, 0xff200c00],
    [0x38000000, 0x3b000000],
    [0x12800000, 0x1f800000],
    [0, 0],
  ];
  let state = 0x9e3779b9;
  for (let i = 0; i < count; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const [fixed, mask] = forms[i % forms.length]!;
    yield ((state & ~mask) | fixed) >>> 0;
  }
}

test('flow, targets and flags agree with Capstone over 30,000 instructions of all groups', async () => {
  const disassemble = await capstone();
  let compared = 0;
  for (const word of words(30_000)) {
    const text = disassemble(word);
    if (text === undefined) continue;
    compared++;
    const said = `${word.toString(16)} ${text.mnemonic} ${text.opStr}`;
    const table = decodeArm64(new Uint8Array(Uint32Array.of(word).buffer), BASE);
    assert.equal(table.flow[0], flowByText(text), said);
    const target = /#?(0x[0-9a-f]+)$/.exec(text.opStr)?.[1];
    if (/^(b|bl|bc?\..*|cbn?z|tbn?z)$/.test(text.mnemonic))
      assert.equal(table.target[0], Number(BigInt.asIntN(64, BigInt(target!))), said);
    if (table.flow[0] !== Flow.next) continue;
    const traits = table.traits[0]!;
    assert.equal((traits & Trait.setsFlags) !== 0, settingFlags.test(text.mnemonic), said);
    assert.equal((traits & Trait.compares) !== 0, comparing.test(`${text.mnemonic} ${text.opStr}`), said);
  }
  assert.ok(compared > 15_000, `${compared} compared`);
});

test('bytes behind the last whole instruction are left', () => {
  assert.equal(decodeArm64(new Uint8Array(7), BASE).length, 1);
  assert.equal(decodeArm64(new Uint8Array(0), BASE).length, 0);
});
