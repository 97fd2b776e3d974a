/** What the texts that list stacks with addresses (`debug=1`) differ in: their first lines, and what stands before the `@`. */
import type { LabelSpec, ProfileHeader } from '../../../core/index.js';
import type { Line } from './lines.js';

/** `… @ 0x43a8a5 0x4076ef` */
export interface StackLine {
  /** What adds up to the total that the first line of the text says. */
  readonly count: bigint;
  /** One for each sample type. */
  readonly values: readonly bigint[];
  readonly labels: readonly LabelSpec[];
  /** Return addresses, leaf first. */
  readonly addresses: readonly bigint[];
}

export interface StackForm {
  /** Whether samples with the same stack and labels become one. */
  readonly merges: boolean;
  /** Whether functions of the runtime at the leaf, which have no names in the text, are none of the stack. */
  readonly hidesRuntime: boolean;
  /** Known once the first stack has been read. */
  readonly header: ProfileHeader;
  /** The first line of the text. @throws FormatError E_GOROUTINE_TEXT for what is none of this form */
  readHeader(line: Line): void;
  /**
   * A line that does not begin with `#` and is not empty.
   * @returns undefined for one that belongs to the header
   * @throws FormatError E_GOROUTINE_TEXT, E_OVERFLOW
   */
  readStack(line: Line): StackLine | undefined;
  /** A line below a stack that begins with `# `. @returns labels of the stack; undefined for a comment */
  readComment?(line: Line): readonly LabelSpec[] | undefined;
  /** What the text says that all its counts add up to, and of what; absent where it does not say. */
  readonly total?: { readonly what: string; readonly count: bigint };
  /** What a person should know of the whole text. */
  readonly warning?: { readonly code: string; readonly message: string } | undefined;
}

/** ` 0x43a8a5 0x4076ef`, or nothing */
export const ADDRESSES = '((?: 0x[0-9a-f]{1,16})*)';

/** @param text what ADDRESSES matches. Zeros at its end, with which Go 1.27 fills the stacks of threads up, are left out. */
export function parseAddresses(text: string): bigint[] {
  const addresses = text.split(' ').slice(1).map(BigInt);
  return addresses.slice(0, addresses.findLastIndex((address) => address !== 0n) + 1);
}
