/** Unpacks what is stored compressed in the repository: `service.br` → `service`, an executable that stages read as a plain file. */
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';

/** Unpacks every `*.br` of a folder whose unpacked file is missing or older. */
export function unpackSamples(folder) {
  for (const packed of readdirSync(folder).filter((name) => name.endsWith('.br'))) {
    const from = join(folder, packed);
    const to = join(folder, packed.slice(0, -'.br'.length));
    if (existsSync(to) && statSync(to).mtimeMs >= statSync(from).mtimeMs) continue;
    const temporary = `${to}.${process.pid}.tmp`;
    writeFileSync(temporary, brotliDecompressSync(readFileSync(from)), { mode: 0o755 });
    renameSync(temporary, to);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  unpackSamples(fileURLToPath(new URL('../pipelines/samples', import.meta.url)));
}
