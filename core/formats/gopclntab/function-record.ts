/**
 * _func: what the table knows of one function.
 * Source: Go src/runtime/runtime2.go _func (1.16, 1.18, 1.20 …), src/cmd/link/internal/ld/pcln.go.
 */
import { FormatError } from '../errors.js';
import type { GoLayout } from './table.js';

/** Offsets into the record. `fixed` is where the pcdata offsets begin; nfuncdata is the byte before. */
interface RecordLayout {
  readonly nameOffset: number;
  readonly pcsp: number;
  readonly pcfile: number;
  readonly pcln: number;
  readonly pcdataCount: number;
  readonly compilationUnit: number;
  /** −1: not recorded. */
  readonly startLine: number;
  readonly fixed: number;
  /** Bytes of one funcdata word: an absolute pointer (8, aligned), or an offset from gofunc (4). */
  readonly funcdataBytes: 4 | 8;
}

const RECORD_LAYOUT: { readonly [layout in GoLayout]: RecordLayout } = {
  // 8-byte entry, then nameoff, args, deferreturn, pcsp, pcfile, pcln, npcdata, cuOffset, {funcID, flag, _, nfuncdata}
  '1.16': {
    nameOffset: 8,
    pcsp: 20,
    pcfile: 24,
    pcln: 28,
    pcdataCount: 32,
    compilationUnit: 36,
    startLine: -1,
    fixed: 44,
    funcdataBytes: 8,
  },
  // 4-byte entry, the rest alike
  '1.18': {
    nameOffset: 4,
    pcsp: 16,
    pcfile: 20,
    pcln: 24,
    pcdataCount: 28,
    compilationUnit: 32,
    startLine: -1,
    fixed: 40,
    funcdataBytes: 4,
  },
  // startLine between cuOffset and funcID
  '1.20': {
    nameOffset: 4,
    pcsp: 16,
    pcfile: 20,
    pcln: 24,
    pcdataCount: 28,
    compilationUnit: 32,
    startLine: 36,
    fixed: 44,
    funcdataBytes: 4,
  },
};

const NO_FUNCDATA = 0xffffffff;

/** One function's record. Offsets of pc-value tables count from the part `pcTables`; 0 means that there is none. */
export interface FunctionRecord {
  readonly nameOffset: number;
  readonly pcsp: number;
  readonly pcfile: number;
  readonly pcln: number;
  readonly compilationUnit: number;
  /** 0 where the layout has none. */
  readonly startLine: number;
  /** Offset of a pcdata table; 0 for none. */
  pcdata(table: number): number;
  /** A funcdata word: an offset from gofunc, before 1.18 an absolute address; undefined for none. */
  funcdata(table: number): bigint | undefined;
}

/**
 * @param view of the whole table
 * @param offset of the record into it
 * @throws FormatError E_GO_FUNC when the record does not end within the table
 */
export function readFunctionRecord(view: DataView, offset: number, layout: GoLayout): FunctionRecord {
  const fields = RECORD_LAYOUT[layout];
  const room = view.byteLength - offset;
  if (room < fields.fixed) spoilt(offset, fields.fixed, room);
  const pcdataCount = view.getUint32(offset + fields.pcdataCount, true);
  const funcdataCount = view.getUint8(offset + fields.fixed - 1);
  const pcdataAt = offset + fields.fixed;
  const pcdataEnd = pcdataAt + pcdataCount * 4;
  const funcdataAt = fields.funcdataBytes === 8 ? Math.ceil(pcdataEnd / 8) * 8 : pcdataEnd;
  const end = funcdataCount === 0 ? pcdataEnd : funcdataAt + funcdataCount * fields.funcdataBytes;
  if (end > view.byteLength) spoilt(offset, end - offset, room);
  return {
    nameOffset: view.getUint32(offset + fields.nameOffset, true),
    pcsp: view.getUint32(offset + fields.pcsp, true),
    pcfile: view.getUint32(offset + fields.pcfile, true),
    pcln: view.getUint32(offset + fields.pcln, true),
    compilationUnit: view.getUint32(offset + fields.compilationUnit, true),
    startLine: fields.startLine < 0 ? 0 : view.getInt32(offset + fields.startLine, true),
    pcdata: (table) => (table < pcdataCount ? view.getUint32(pcdataAt + table * 4, true) : 0),
    funcdata: (table) => {
      if (table >= funcdataCount) return undefined;
      if (fields.funcdataBytes === 8) return view.getBigUint64(funcdataAt + table * 8, true) || undefined;
      const word = view.getUint32(funcdataAt + table * 4, true);
      return word === NO_FUNCDATA ? undefined : BigInt(word);
    },
  };
}

function spoilt(offset: number, got: number, limit: number): never {
  throw new FormatError('E_GO_FUNC', 'function record does not end within the table', {
    section: '.gopclntab',
    offset,
    got,
    limit,
  });
}
