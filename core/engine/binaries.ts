/** The binaries of a run. What reads them is a third of the program, and loaded only where somebody may ask for them. */
import type { BinaryStore } from '../binary/store.js';
import type { Limits } from '../formats/limits.js';

/** @param mayBeAsked whether one of the plugins that get it reads binaries; those of others may, without saying so */
export async function openBinaries(
  mayBeAsked: boolean,
  limits: Partial<Limits>,
  signal: AbortSignal,
): Promise<BinaryStore> {
  if (!mayBeAsked) return noBinaries;
  const { createBinaryStore } = await import('../binary/file-store.js');
  return createBinaryStore(limits, { signal });
}

function refuse(): never {
  throw new Error('a built-in plugin asks for binaries that is no stage with readsBinaries');
}

const noBinaries: BinaryStore = {
  add: refuse,
  search: refuse,
  fetchMissing: refuse,
  forMapping: refuse,
  stats: { opened: 0, evicted: 0, bytes: 0 },
  close: () => {},
};
