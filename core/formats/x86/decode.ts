/** x86-64 instructions as rows of an InstructionTable, decoded by iced-x86. */
import { createRequire } from 'node:module';
import type * as Iced from 'iced-x86';
import { Flow, type InstructionTable, Trait } from '../instructions.js';

const UNKNOWN = 0xff;

/** What is still to be asked of an instruction's operands. */
const Ask = { nothing: 0, target: 1, nilCheck: 2, zeroing: 3 } as const;

/** What holds for every instruction of one iced `Code` (opcode and operand forms): looked up once, not once an instruction. */
interface CodeClasses {
  readonly iced: typeof Iced;
  readonly flow: Uint8Array;
  readonly traits: Uint8Array;
  readonly ask: Uint8Array;
}

let loaded: CodeClasses | undefined;

/** Loaded on first use: its 0.8 MB of WebAssembly take 20 ms, which no run without amd64 code should pay. */
function classes(): CodeClasses {
  if (loaded === undefined) {
    const iced = createRequire(import.meta.url)('iced-x86') as typeof Iced;
    const codes = Object.keys(iced.Code).length;
    loaded = {
      iced,
      flow: new Uint8Array(codes).fill(UNKNOWN),
      traits: new Uint8Array(codes),
      ask: new Uint8Array(codes),
    };
  }
  return loaded;
}

/**
 * @param code bytes of one function
 * @param base object address of the first one
 * Bytes that are no instruction become rows with `Flow.end`; decoding goes on behind them.
 */
export function decodeX86(code: Uint8Array, base: number): InstructionTable {
  const known = classes();
  const start = new Uint32Array(code.length + 1);
  const flow = new Uint8Array(code.length);
  const traits = new Uint8Array(code.length);
  const target = new Float64Array(code.length);
  const decoder = new known.iced.Decoder(64, code, known.iced.DecoderOptions.None);
  const instruction = new known.iced.Instruction();
  let length = 0;
  let offset = 0;
  try {
    decoder.ip = BigInt(base);
    while (offset < code.length) {
      decoder.decodeOut(instruction);
      const form = instruction.code;
      if (known.flow[form] === UNKNOWN) classify(known, instruction);
      start[length] = offset;
      flow[length] = known.flow[form]!;
      traits[length] = known.traits[form]! | operandTraits(known, instruction, form);
      target[length] = known.ask[form] === Ask.target ? Number(instruction.nearBranchTarget) : -1;
      length++;
      offset += Math.max(1, instruction.length);
    }
  } finally {
    instruction.free();
    decoder.free();
  }
  start[length] = code.length;
  return { length, start, base, flow, traits, target };
}

function classify({ iced, flow, traits, ask }: CodeClasses, instruction: Iced.Instruction): void {
  const form = instruction.code;
  flow[form] = flowOf(iced, instruction);
  const mnemonic = instruction.mnemonic;
  if (instruction.rflagsModified !== iced.RflagsBits.None) traits[form]! |= Trait.setsFlags;
  if (mnemonic === iced.Mnemonic.Cmp || mnemonic === iced.Mnemonic.Test) traits[form]! |= Trait.compares;
  if (isMove(iced.Mnemonic, mnemonic)) traits[form]! |= Trait.moves;
  if (instruction.op0Kind === iced.OpKind.NearBranch64) ask[form] = Ask.target;
  if (form === iced.Code.Test_rm8_r8) ask[form] = Ask.nilCheck;
  if (form === iced.Code.Xor_r32_rm32 || form === iced.Code.Xor_rm32_r32) ask[form] = Ask.zeroing;
}

function flowOf(iced: typeof Iced, instruction: Iced.Instruction): number {
  switch (instruction.flowControl) {
    case iced.FlowControl.Next:
    case iced.FlowControl.XbeginXabortXend:
      return Flow.next;
    case iced.FlowControl.UnconditionalBranch:
      return Flow.jump;
    case iced.FlowControl.ConditionalBranch:
      return instruction.isJccShortOrNear ? Flow.branch : Flow.testBranch;
    case iced.FlowControl.Call:
    case iced.FlowControl.IndirectCall:
      return Flow.call;
    default:
      return Flow.end;
  }
}

function isMove(mnemonics: typeof Iced.Mnemonic, mnemonic: Iced.Mnemonic): boolean {
  switch (mnemonic) {
    case mnemonics.Mov:
    case mnemonics.Movzx:
    case mnemonics.Movsx:
    case mnemonics.Movsxd:
    case mnemonics.Movups:
    case mnemonics.Lea:
    case mnemonics.Nop:
      return true;
    default:
      return false;
  }
}

/** Traits that the operands decide: the nil check `test [r],al`, and zeroing by `xor r,r`, which moves. */
function operandTraits({ iced, ask }: CodeClasses, instruction: Iced.Instruction, form: Iced.Code): number {
  switch (ask[form]) {
    case Ask.nilCheck:
      return isNilCheck(iced, instruction) ? Trait.nilLoad : 0;
    case Ask.zeroing:
      return isZeroing(iced, instruction) ? Trait.moves : 0;
    default:
      return 0;
  }
}

const isZeroing = (iced: typeof Iced, instruction: Iced.Instruction): boolean =>
  instruction.op0Kind === iced.OpKind.Register &&
  instruction.op1Kind === iced.OpKind.Register &&
  instruction.op0Register === instruction.op1Register;

/** `testb %al,(reg)`, the only form that Go's compiler emits (an 8-bit displacement of 0 where the encoding needs one: rbp, r13). */
function isNilCheck(iced: typeof Iced, instruction: Iced.Instruction): boolean {
  return (
    instruction.op0Kind === iced.OpKind.Memory &&
    instruction.op1Register === iced.Register.AL &&
    instruction.memoryBase >= iced.Register.RAX &&
    instruction.memoryBase <= iced.Register.R15 &&
    instruction.memoryIndex === iced.Register.None &&
    instruction.segmentPrefix === iced.Register.None &&
    instruction.memoryDisplacement === 0n
  );
}
