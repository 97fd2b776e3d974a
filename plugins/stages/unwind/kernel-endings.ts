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
  STACK_SWITCH,
  TRUNCATED,
} from './kernel-codes.js';

const codes: { readonly [ending in Ending]: number } = {
  root: ROOT,
  stack_switch: STACK_SWITCH,
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
/** By code. */
export const endingsByCode = Object.entries(codes).reduce<Ending[]>((byCode, [ending, code]) => {
  byCode[code] = ending as Ending;
  return byCode;
}, []);

export const codeOf = (ending: Ending): number => codes[ending];
