/** One thing that is wrong with a pipeline file or with how it was called. Lines and columns are 1-based. */
export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Stable and machine-readable: "unknown-option", "wrong-type" … */
  readonly code: string;
  readonly message: string;
}
