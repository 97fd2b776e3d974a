/** The binaries of a run. What reads them is a third of the program, and loaded only where somebody may ask for them. */
import type { BinaryStore } from '../../binary/store.js';
import type { Limits } from '../../formats/limits.js';

/** @param plugins that get them */
export async function openBinaries(
  plugins: readonly { readonly readsBinaries?: boolean }[],
  limits: Partial<Limits>,
  signal: AbortSignal,
): Promise<BinaryStore> {
  if (!plugins.some(({ readsBinaries }) => readsBinaries === true)) return noBinaries;
  const { createBinaryStore } = await import('../../binary/file-store.js');
  return createBinaryStore(limits, { signal });
}

function refuse(): never {
  throw new Error('a plugin that asks for binaries must say so: readsBinaries: true');
}

const noBinaries: BinaryStore = {
  add: refuse,
  search: refuse,
  fetchMissing: refuse,
  forMapping: refuse,
  stats: { opened: 0, evicted: 0, bytes: 0 },
  close: () => {},
};
