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

/** One function's record, as a view. Offsets of pc-value tables count from the part `pcTables`; 0 means that there is none. */
export class FunctionRecord {
  readonly #view: DataView;
  readonly #offset: number;
  readonly #fields: RecordLayout;

  /**
   * @param view of the whole table
   * @param offset of the record into it
   * @throws FormatError E_GO_FUNC when the record does not end within the table
   */
  constructor(view: DataView, offset: number, layout: GoLayout) {
    this.#view = view;
    this.#offset = offset;
    this.#fields = RECORD_LAYOUT[layout];
    const room = view.byteLength - offset;
    if (room < this.#fields.fixed) spoilt(offset, this.#fields.fixed, room);
    const end = this.#funcdataCount === 0 ? this.#pcdataEnd : this.#funcdataAt(this.#funcdataCount);
    if (end > view.byteLength) spoilt(offset, end - offset, room);
  }

  get nameOffset(): number {
    return this.#u32(this.#fields.nameOffset);
  }

  get pcsp(): number {
    return this.#u32(this.#fields.pcsp);
  }

  get pcfile(): number {
    return this.#u32(this.#fields.pcfile);
  }

  get pcln(): number {
    return this.#u32(this.#fields.pcln);
  }

  get compilationUnit(): number {
    return this.#u32(this.#fields.compilationUnit);
  }

  /** 0 where the layout has none. */
  get startLine(): number {
    const { startLine } = this.#fields;
    return startLine < 0 ? 0 : this.#view.getInt32(this.#offset + startLine, true);
  }

  /** Bits of `GoFunctionFlag`; 0 before 1.17. */
  get flags(): number {
    return this.#view.getUint8(this.#offset + this.#fields.fixed - 3);
  }

  /** Offset of a pcdata table; 0 for none. */
  pcdata(table: number): number {
    return table < this.#pcdataCount ? this.#u32(this.#fields.fixed + table * 4) : 0;
  }

  /** A funcdata word: an offset from gofunc, before 1.18 an absolute address; undefined for none. */
  funcdata(table: number): bigint | undefined {
    if (table >= this.#funcdataCount) return undefined;
    const at = this.#funcdataAt(table);
    if (this.#fields.funcdataBytes === 8) return this.#view.getBigUint64(at, true) || undefined;
    const word = this.#view.getUint32(at, true);
    return word === NO_FUNCDATA ? undefined : BigInt(word);
  }

  get #pcdataCount(): number {
    return this.#u32(this.#fields.pcdataCount);
  }

  get #funcdataCount(): number {
    return this.#view.getUint8(this.#offset + this.#fields.fixed - 1);
  }

  /** Offset into the table, as the next one. */
  get #pcdataEnd(): number {
    return this.#offset + this.#fields.fixed + this.#pcdataCount * 4;
  }

  #funcdataAt(table: number): number {
    const bytes = this.#fields.funcdataBytes;
    return Math.ceil(this.#pcdataEnd / bytes) * bytes + table * bytes;
  }

  #u32(at: number): number {
    return this.#view.getUint32(this.#offset + at, true);
  }
}

function spoilt(offset: number, got: number, limit: number): never {
  throw new FormatError('E_GO_FUNC', 'function record does not end within the table', {
    section: '.gopclntab',
    offset,
    got,
    limit,
  });
}
