/**
 * Where a position-independent program was loaded, by a text profile (debug=1): it has addresses and names, but no mappings. A function
 * that the text names lies at an address that is as far from its place in the binary as all the others are, in whole pages.
 */
import { FormatError, type Profile, stringAt } from '../../../core/index.js';
import type { FunctionFrames } from './function-frames.js';

/** The smallest page of amd64 and arm64. */
const PAGE_BYTES = 4096;
/** Locations that must agree, if there are as many. */
const WITNESSES = 64;

interface Witness {
  readonly address: number;
  readonly name: string;
  readonly line: number;
}

/** @returns the runtime address of object address 0; undefined where there is none that fits every named location */
export function findLoadAddress(profile: Profile, frames: FunctionFrames): number | undefined {
  const witnesses = namedLocations(profile);
  for (const { address, name } of witnesses) {
    for (const index of frames.named(name)) {
      const { go } = frames;
      let loadAddress = Math.floor((address - go.entry(index)) / PAGE_BYTES) * PAGE_BYTES;
      for (; loadAddress > 0 && address - loadAddress < go.end(index); loadAddress -= PAGE_BYTES) {
        if (witnesses.every((witness) => isAt(witness, loadAddress, frames))) return loadAddress;
      }
    }
  }
  return undefined;
}

function isAt({ address, name, line }: Witness, loadAddress: number, { go }: FunctionFrames): boolean {
  try {
    return go.frames(address - loadAddress).some((frame) => frame.function === name && frame.line === line);
  } catch (error) {
    if (error instanceof FormatError) return false;
    throw error;
  }
}

/** Generic functions are left out: text does not say which of them it is. */
function namedLocations({ locations, functions, strings }: Profile): Witness[] {
  const witnesses: Witness[] = [];
  for (let location = 0; location < locations.length && witnesses.length < WITNESSES; location++) {
    const last = locations.lineStart[location + 1]! - 1;
    if (last < locations.lineStart[location]!) continue;
    const name = stringAt(strings, functions.name[locations.lines.function[last]!]!);
    const line = Number(locations.lines.line[last]!);
    if (!name.includes('[')) witnesses.push({ address: Number(locations.address[location]!), name, line });
  }
  return witnesses;
}
