/** Symbols of code as all object formats have them: ELF's symtab and dynsym, COFF, PE exports, Mach-O's nlist. */

export interface ObjectSymbol {
  /** As in the file: mangled; without the leading underscore that Mach-O puts before every name. */
  readonly name: string;
  readonly objectAddress: number;
  /** Bytes; 0 when the file does not tell. Such a symbol ends at the next one or at the end of its section. */
  readonly size: number;
  readonly binding: 'global' | 'weak' | 'local';
  /**
   * What the file says that it is; "untyped" (labels of assembly) may be code. "indirect" is the code that chooses a function when
   * the program is loaded: the symbol has the name of what is chosen. Data is not among symbols of code.
   */
  readonly type: 'function' | 'indirect' | 'untyped';
  /** Source of a local symbol, without folders; "" where the table does not tell. */
  readonly file: string;
}

/** One table of symbols of code, found by address. */
export interface SymbolTable {
  /** As reports call it: "symtab", "dynsym", "coff", "exports", "nlist". */
  readonly name: string;
  /** Distinct addresses. */
  readonly length: number;
  readonly heldBytes: number;
  /** The symbol whose range holds an address, the best name among aliases; undefined outside of every symbol: never the nearest. */
  find(objectAddress: number): ObjectSymbol | undefined;
}
