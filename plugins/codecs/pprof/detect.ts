/** Whether bytes look like a profile.proto message: by the tags of its fields, since it has no magic number. */
import { ProfileField, WireType } from './fields.js';

const { varint, bytes } = WireType;

/** Wire types that a known field may have, by field number. */
const wireTypesOf: readonly (readonly number[])[] = Object.values(ProfileField).reduce<number[][]>(
  (table, field) => {
    const isMessage = field <= ProfileField.stringTable || field === ProfileField.periodType;
    table[field] = isMessage ? [bytes] : field === ProfileField.comment ? [varint, bytes] : [varint];
    return table;
  },
  [[]],
);

/**
 * @param head the first bytes
 * @returns 0.9 when all fields that start in `head` are a Profile's; 0.2 when only the first one is, and a message (a damaged profile
 *   should be told so by the decoder, not be called an unknown format); 0 otherwise
 */
export function detectProfile(head: Uint8Array): number {
  let at = 0;
  let fields = 0;
  while (at < head.length) {
    const end = knownFieldEnd(head, at);
    if (end < 0) return fields > 0 && (head[0]! & 7) === bytes ? 0.2 : 0;
    at = end;
    fields++;
  }
  return fields > 0 ? 0.9 : 0;
}

/** End of the field at `start`, maybe beyond the bytes; −1 when it is no known field of the right wire type. */
function knownFieldEnd(head: Uint8Array, start: number): number {
  const tag = head[start]!;
  const wireType = tag & 7;
  // Unknown fields are rare enough not to stand first, and their tags look like text.
  if (tag >= 128 || !wireTypesOf[tag >>> 3]?.includes(wireType)) return start > 0 && tag >= 128 ? head.length : -1;
  let value = 0;
  for (let at = start + 1, scale = 1; at < head.length; at++, scale *= 128) {
    if (scale > 2 ** 63) return -1;
    value += (head[at]! & 127) * scale;
    if (head[at]! < 128) return wireType === varint ? at + 1 : at + 1 + value;
  }
  return head.length;
}
