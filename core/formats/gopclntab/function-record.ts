/**
 * _func: what the table knows of one function.
 * Source: Go src/runtime/runtime2.go _func (1.12, 1.16, 1.18, 1.20 …; 1.2: src/pkg/runtime/runtime.h Func),
 * src/cmd/link/internal/ld/pcln.go.
 */
import { FormatError } from '../errors.js';
import { hasAbsoluteEntries, type PclntabHeader } from './header.js';
import type { GoLayout } from './table.js';

/** Offsets into the record, behind its first word, the entry. */
interface RecordLayout {
  readonly nameOffset: number;
  readonly pcsp: number;
  readonly pcfile: number;
  readonly pcln: number;
  readonly pcdataCount: number;
  /** −1: not recorded, as those of the next two. */
  readonly compilationUnit: number;
  readonly startLine: number;
  readonly flags: number;
  /** Where the pcdata offsets begin; the number of funcdata words is right before it. */
  readonly fixed: number;
  readonly funcdataCountBytes: 1 | 4;
}

const common = { nameOffset: 0, pcsp: 12, pcfile: 16, pcln: 20, pcdataCount: 24 } as const;

export const RECORD_LAYOUT: { readonly [layout in GoLayout]: RecordLayout } = {
  // nameoff, args, frame, pcsp, pcfile, pcln, npcdata, nfuncdata
  '1.2': { ...common, compilationUnit: -1, startLine: -1, flags: -1, fixed: 32, funcdataCountBytes: 4 },
  // nameoff, args, deferreturn, pcsp, pcfile, pcln, npcdata, {funcID, _, _, nfuncdata}
  '1.12': { ...common, compilationUnit: -1, startLine: -1, flags: -1, fixed: 32, funcdataCountBytes: 1 },
  // cuOffset behind npcdata; flags from 1.17, 0 before
  '1.16': { ...common, compilationUnit: 28, startLine: -1, flags: 33, fixed: 36, funcdataCountBytes: 1 },
  '1.18': { ...common, compilationUnit: 28, startLine: -1, flags: 33, fixed: 36, funcdataCountBytes: 1 },
  // startLine between cuOffset and funcID
  '1.20': { ...common, compilationUnit: 28, startLine: 32, flags: 37, fixed: 40, funcdataCountBytes: 1 },
};

/** Of an offset from gofunc. */
const NO_FUNCDATA = 0xffffffffn;

/** One function's record, as a view. Offsets of pc-value tables count from the part `pcTables`; 0 means that there is none. */
export class FunctionRecord {
  readonly #view: DataView;
  /** Of the record's second word. */
  readonly #offset: number;
  readonly #fields: RecordLayout;
  /** Bytes of one funcdata word: an absolute pointer, aligned, or an offset from gofunc (4). */
  readonly #funcdataBytes: 4 | 8;
  readonly #isAbsolute: boolean;

  /**
   * @param view of the bytes that are held of the table
   * @param offset of the record into them
   * @throws FormatError E_GO_FUNC when the record does not end within the table
   */
  constructor(view: DataView, offset: number, { layout, pointerBytes, heldFrom }: PclntabHeader) {
    this.#isAbsolute = hasAbsoluteEntries(layout);
    this.#funcdataBytes = this.#isAbsolute ? pointerBytes : 4;
    this.#view = view;
    this.#offset = offset + this.#funcdataBytes;
    this.#fields = RECORD_LAYOUT[layout];
    const room = view.byteLength - this.#offset;
    if (room < this.#fields.fixed) spoilt(heldFrom + offset, this.#fields.fixed, room);
    const end = this.#funcdataCount === 0 ? this.#pcdataEnd : this.#funcdataAt(this.#funcdataCount);
    if (end > view.byteLength) spoilt(heldFrom + offset, end - offset, room);
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

  /** 0 where the layout has none. */
  get compilationUnit(): number {
    const { compilationUnit } = this.#fields;
    return compilationUnit < 0 ? 0 : this.#u32(compilationUnit);
  }

  /** 0 where the layout has none. */
  get startLine(): number {
    const { startLine } = this.#fields;
    return startLine < 0 ? 0 : this.#view.getInt32(this.#offset + startLine, true);
  }

  /** Bits of `GoFunctionFlag`; 0 before 1.17. */
  get flags(): number {
    const { flags } = this.#fields;
    return flags < 0 ? 0 : this.#view.getUint8(this.#offset + flags);
  }

  /** Offset of a pcdata table; 0 for none. */
  pcdata(table: number): number {
    return table < this.#pcdataCount ? this.#u32(this.#fields.fixed + table * 4) : 0;
  }

  /** A funcdata word: an offset from gofunc, before 1.18 an absolute address; undefined for none. */
  funcdata(table: number): bigint | undefined {
    if (table >= this.#funcdataCount) return undefined;
    const at = this.#funcdataAt(table);
    const word = this.#funcdataBytes === 8 ? this.#view.getBigUint64(at, true) : BigInt(this.#view.getUint32(at, true));
    return word === (this.#isAbsolute ? 0n : NO_FUNCDATA) ? undefined : word;
  }

  get #pcdataCount(): number {
    return this.#u32(this.#fields.pcdataCount);
  }

  get #funcdataCount(): number {
    const { fixed, funcdataCountBytes } = this.#fields;
    return funcdataCountBytes === 1 ? this.#view.getUint8(this.#offset + fixed - 1) : this.#u32(fixed - 4);
  }

  /** Offset into the table, as the next one. */
  get #pcdataEnd(): number {
    return this.#offset + this.#fields.fixed + this.#pcdataCount * 4;
  }

  #funcdataAt(table: number): number {
    const bytes = this.#funcdataBytes;
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
