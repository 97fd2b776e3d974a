/** Endings as the kernel numbers them. */
import type { Ending } from './ending.js';
import {
  BAD_READ,
  DEPTH_LIMIT,
  LOST_REGISTER,
  NO_BINARY,
  NO_MAPPING,
  NO_PROGRESS,
  NO_TABLE,
  ROOT,
  SPOILT_TABLE,
  TRUNCATED,
} from './kernel-codes.js';

/** A walk ends on another stack only by steps of the host. */
type KernelEnding = Exclude<Ending, 'stack_switch'>;

const codes: { readonly [ending in KernelEnding]: number } = {
  root: ROOT,
  truncated: TRUNCATED,
  bad_read: BAD_READ,
  lost_register: LOST_REGISTER,
  no_table: NO_TABLE,
  no_progress: NO_PROGRESS,
  no_mapping: NO_MAPPING,
  depth_limit: DEPTH_LIMIT,
  no_binary: NO_BINARY,
  spoilt_table: SPOILT_TABLE,
};
const endings = Object.entries(codes).reduce<Ending[]>((byCode, [ending, code]) => {
  byCode[code] = ending as KernelEnding;
  return byCode;
}, []);

export const endingOf = (code: number): Ending => endings[code]!;

/** @returns undefined for an ending that the kernel does not know */
export const codeOf = (ending: Ending): number | undefined => (ending === 'stack_switch' ? undefined : codes[ending]);
