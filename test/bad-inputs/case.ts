/** What a hostile input is, and what must become of it. The ids are those of the project's list of bad inputs. */
export interface BadInput {
  /** "B13 length beyond the end": unique, and the name of its file. */
  readonly name: string;
  readonly content: () => Uint8Array;
  readonly expected: Expected;
}

export type Expected = Refused | Delivered;

export interface Refused {
  readonly code: string;
  /** Where it says that the fault is. */
  readonly section?: string | RegExp;
  /** Of the field at fault, or of its value: at most two bytes on, where the reader stands. */
  readonly offset?: number;
  readonly got?: string;
  readonly limit?: string;
  readonly message?: RegExp;
}

export interface Delivered {
  readonly delivered: true;
  /** Never silently: the counter or warning that tells of it. */
  readonly counter?: string;
  readonly warning?: string;
  /** Code of the failure that says why it is not all of the input. */
  readonly upTo?: string;
}

export const delivered: Delivered = { delivered: true };

export const deliveredUpTo = (code: string): Delivered => ({ delivered: true, upTo: code });
