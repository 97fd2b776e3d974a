/**
 * A64 instructions as rows of an InstructionTable: just the fields that a control-flow walk needs, by the encoding classes of
 * Arm's "A64 instruction set" (DDI 0602, "Top-level encodings for A64"). Not a disassembler: forms that neither branch, set
 * flags nor move a value are told apart from nothing else. SVE and SME are not looked into.
 */
import { Flow, type InstructionTable, Trait } from '../instructions.js';

const INSTRUCTION_BYTES = 4;
/** REGTMP of Go's arm64 assembler, into which the compiler's nil check loads. Source: cmd/internal/obj/arm64/a.out.go. */
const GO_SCRATCH_REGISTER = 27;
const ZERO_REGISTER = 31;

/** @param code bytes of one function @param base object address of the first one. Bytes behind the last whole word are left. */
export function decodeArm64(code: Uint8Array, base: number): InstructionTable {
  const length = Math.floor(code.length / INSTRUCTION_BYTES);
  const view = new DataView(code.buffer, code.byteOffset, code.byteLength);
  const start = new Uint32Array(length + 1);
  const flow = new Uint8Array(length);
  const traits = new Uint8Array(length);
  const target = new Float64Array(length);
  for (let row = 0; row < length; row++) {
    const offset = row * INSTRUCTION_BYTES;
    const word = view.getUint32(offset, true);
    start[row] = offset;
    flow[row] = flowOf(word);
    traits[row] = flow[row] === Flow.next ? traitsOf(word) : 0;
    const displacement = displacementOf(word);
    target[row] = displacement === undefined ? -1 : base + offset + displacement;
  }
  start[length] = length * INSTRUCTION_BYTES;
  return { length, start, base, flow, traits, target };
}

/** "Branches, Exception generating and System instructions". */
function flowOf(word: number): number {
  if ((word & 0x7c000000) === 0x14000000) return word >>> 31 === 1 ? Flow.call : Flow.jump; // BL, B
  if ((word & 0xff000000) === 0x54000000) return (word & 0xe) === 0xe ? Flow.jump : Flow.branch; // B.cond; AL and NV
  if ((word & 0x7c000000) === 0x34000000) return Flow.testBranch; // CBZ, CBNZ, TBZ, TBNZ
  if ((word & 0xfe000000) >>> 0 === 0xd6000000) return (word & 0x00600000) === 0x00200000 ? Flow.call : Flow.end; // BLR; BR, RET
  if ((word & 0xff000000) >>> 0 === 0xd4000000) return (word & 0x00e00000) === 0 ? Flow.next : Flow.end; // SVC; BRK, HLT
  if (word >>> 16 === 0) return Flow.end; // UDF, and zeroed bytes
  return Flow.next;
}

/** Bytes from the instruction to the target of a direct branch. */
function displacementOf(word: number): number | undefined {
  if ((word & 0x7c000000) === 0x14000000) return (word << 6) >> 4; // imm26
  if ((word & 0xff000000) === 0x54000000) return ((word << 8) >> 13) * 4; // imm19
  if ((word & 0x7e000000) === 0x34000000) return ((word << 8) >> 13) * 4; // imm19
  if ((word & 0x7e000000) === 0x36000000) return ((word << 13) >> 18) * 4; // imm14
  return undefined;
}

function traitsOf(word: number): number {
  if (isNilLoad(word)) return Trait.nilLoad | Trait.moves;
  if (setsFlags(word)) return Trait.setsFlags | (compares(word) ? Trait.compares : 0);
  return moves(word) ? Trait.moves : 0;
}

/** LDRSB Xt, [Xn] (unsigned offset form, offset 0) with t = 27. */
function isNilLoad(word: number): boolean {
  return (word & 0xfffffc1f) >>> 0 === (0x39800000 | GO_SCRATCH_REGISTER);
}

function setsFlags(word: number): boolean {
  return (
    isAddSubtractSettingFlags(word) ||
    isLogicalSettingFlags(word) ||
    (word & 0x3fe00000) === 0x3a000000 || // ADCS, SBCS; RMIF, SETF8, SETF16
    (word & 0x3fe00000) === 0x3a400000 || // CCMN, CCMP
    (word & 0xff203c00) === 0x1e202000 || // FCMP, FCMPE
    (word & 0xff200c00) === 0x1e200400 || // FCCMP, FCCMPE
    (word & 0xffffffe0) >>> 0 === 0xd51b4200 || // MSR NZCV
    (word & 0xfffff01f) >>> 0 === 0xd500401f // MSR (immediate) of PSTATE fields: CFINV, XAFLAG, AXFLAG
  );
}

/** CMP, CMN, TST: the flag-setting forms that write the zero register; and CCMP, CCMN. */
function compares(word: number): boolean {
  if ((word & 0x3fe00000) === 0x3a400000) return true;
  return (word & 0x1f) === ZERO_REGISTER && (isAddSubtractSettingFlags(word) || isLogicalSettingFlags(word));
}

/** ADDS, SUBS: immediate, shifted and extended register. */
function isAddSubtractSettingFlags(word: number): boolean {
  return (word & 0x3f800000) === 0x31000000 || (word & 0x3f000000) === 0x2b000000;
}

/** ANDS, BICS: immediate and shifted register. */
function isLogicalSettingFlags(word: number): boolean {
  return (word & 0x7f800000) === 0x72000000 || (word & 0x7f000000) === 0x6a000000;
}

/** MOV in all its encodings, ADR, ADRP, plain ADD and SUB (addresses, and lengths such as `add x0, x4, x4`), extensions, loads, stores, hints (NOP). */
function moves(word: number): boolean {
  return (
    (word & 0x1f800000) === 0x12800000 || // MOVN, MOVZ, MOVK
    (word & 0x1f000000) === 0x10000000 || // ADR, ADRP
    (word & 0x3f800000) === 0x11000000 || // ADD, SUB (immediate); MOV to or from SP
    (word & 0x3f000000) === 0x0b000000 || // ADD, SUB (shifted and extended register)
    (word & 0x7f8003e0) === 0x320003e0 || // MOV (bitmask immediate): ORR from the zero register
    (word & 0x7f2003e0) === 0x2a0003e0 || // MOV (register): ORR from the zero register
    (word & 0x1f800000) === 0x13000000 || // SBFM, BFM, UBFM: sxtb … uxtw, lsl, lsr
    (word & 0x0a000000) === 0x08000000 || // loads and stores
    (word & 0xfffff01f) >>> 0 === 0xd503201f // HINT
  );
}
