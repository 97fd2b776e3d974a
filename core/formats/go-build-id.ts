/** Go's own build ID in files that have no notes: text at the start of the code. Source: Go src/cmd/internal/buildid. */
import type { ObjectImage } from './image.js';

const START = '\xff Go build ID: "';
const END = '"\n \xff';
/** As far as Go's tools look. */
const LOOKED_AT = 32 * 1024;
const MAX_BYTES = 256;

/** @returns undefined where there is none */
export function goBuildIdInCode(image: ObjectImage): string | undefined {
  const code =
    image.sections.find(({ name }) => name === '.text') ?? image.segments.find(({ executable }) => executable);
  if (code === undefined) return undefined;
  const text = Buffer.from(image.bytesAt(code.objectAddress, LOOKED_AT)).toString('latin1');
  const start = text.indexOf(START);
  if (start < 0) return undefined;
  const end = text.indexOf(END, start + START.length);
  return end < 0 || end - start > MAX_BYTES ? undefined : text.slice(start + START.length, end);
}
