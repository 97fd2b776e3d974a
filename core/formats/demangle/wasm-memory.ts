/** Source: WebAssembly Core Specification, "Binary Format": modules, memory section (id 5), limits. */
import { ByteReader } from '../reader.js';

const HEADER_BYTES = 8;
const MEMORY_SECTION = 5;
const MIN_AND_MAX = 1;

/**
 * The same module with a limit to its memory, where it declares none.
 * @param furtherPages of 64 KiB, beyond the ones that it begins with
 * @throws FormatError for bytes that are no module
 */
export function withMemoryLimit(module: Uint8Array, furtherPages: number): Uint8Array {
  const reader = new ByteReader(module, 'wasm');
  reader.seek(HEADER_BYTES);
  while (reader.remaining > 0) {
    const start = reader.offset;
    const id = reader.u8();
    const end = uleb(reader) + reader.offset;
    if (id !== MEMORY_SECTION) {
      reader.seek(end);
      continue;
    }
    reader.skip(2); // one memory, without maximum
    const pages = uleb(reader);
    const limits = [1, MIN_AND_MAX, ...ulebBytes(pages), ...ulebBytes(pages + furtherPages)];
    const section = [MEMORY_SECTION, limits.length, ...limits];
    const limited = new Uint8Array(module.length - (end - start) + section.length);
    limited.set(module.subarray(0, start));
    limited.set(section, start);
    limited.set(module.subarray(end), start + section.length);
    return limited;
  }
  return module;
}

function uleb(reader: ByteReader): number {
  let value = 0;
  for (let scale = 1; ; scale *= 128) {
    const byte = reader.u8();
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return value;
  }
}

function ulebBytes(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return [...bytes, rest];
}
