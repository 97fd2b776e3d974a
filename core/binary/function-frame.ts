/** How much stack a call of a function takes. Sizes are bytes. */
export interface FunctionFrame {
  /** As the symbol table has it: mangled; "" where none names it. */
  readonly function: string;
  /** Absolute address, as the file has it. */
  readonly entry: bigint;
  /** Bytes of code, padding excluded. */
  readonly size: number;
  /**
   * Bytes between SP and the word of the return address at the deepest point; the return address itself (8 bytes that a call on amd64
   * pushes) is not included. Undefined where call frame information counts from another register than SP: it does not tell then.
   */
  readonly frameBytes: number | undefined;
  /** Go's pcsp table, or call frame information. */
  readonly method: 'pcsp' | 'cfi';
}
