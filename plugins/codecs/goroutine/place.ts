/** The lines below a function's name in a traceback: where it is. */

export interface Place {
  readonly file: string;
  readonly line: bigint;
  /** Of the return address, from the function's entry; undefined for an inlined call, and at the entry itself. */
  readonly offset: bigint | undefined;
  /** C frames have it, and the frames of a thread that crashed. */
  readonly pc: bigint | undefined;
}

/**
 * `\t/src/main.go:12 +0x1d`, `\t/src/main.go:12 +0x1d fp=0xc0 sp=0xb0 pc=0x4a`, `\t/src/lib.c:7 pc=0x7f10`, `\tpc=0x7f10`.
 * Reads from the end, since a file may be called anything.
 *
 * @returns undefined for a line that is none
 */
export function parsePlace(text: string): Place | undefined {
  let rest = text.trimStart();
  if (rest.length === text.length) return undefined;
  const takeHex = (key: string): bigint | undefined => {
    const at = rest.lastIndexOf(key);
    const value = at < 0 ? undefined : parseHex(rest.slice(at + key.length));
    if (value !== undefined) rest = rest.slice(0, at).trimEnd();
    return value;
  };
  const pc = takeHex('pc=');
  takeHex(' sp=');
  takeHex(' fp=');
  const offset = takeHex(' +');
  if (rest === '') return pc === undefined ? undefined : { file: '', line: 0n, offset, pc };
  const place = parseFileLine(rest);
  return place && { ...place, offset, pc };
}

/** `/src/main.go:12` */
export function parseFileLine(text: string): { readonly file: string; readonly line: bigint } | undefined {
  const colon = text.lastIndexOf(':');
  const digits = text.slice(colon + 1);
  return colon > 0 && /^\d{1,10}$/.test(digits) ? { file: text.slice(0, colon), line: BigInt(digits) } : undefined;
}

/** `0x4a2f10`, of at most 64 bits. */
export function parseHex(text: string): bigint | undefined {
  return text.length <= 18 && /^0x[0-9a-f]+$/.test(text) ? BigInt(text) : undefined;
}
