/** test/live/testdata/frames.go: prints what the runtime says of its own addresses, or takes its own profile. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../../../test/live/testdata/frames.go', import.meta.url));

export const framesProgram = { 'main.go': readFileSync(source, 'utf8') };

/** `-ldflags=`: from 1.23 the linker refuses what the program links itself to, unless told not to. */
export function linkerFlags(version: string, flags: string): string {
  const minor = Number(version.split('.')[1]);
  return `-ldflags=${flags}${minor >= 23 ? ' -checklinkname=0' : ''}`;
}
