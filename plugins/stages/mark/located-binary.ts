/** Locations of one profile in their binaries: where each lies, and why not where it does not. */
import { isBeforeGo116 } from '../../../core/binaries.js';
import { type Binary, type BinaryStore, FormatError, type Profile } from '../../../core/index.js';

export type PlacedLocation =
  | { readonly binary: Binary; readonly objectAddress: number }
  | { readonly binary: undefined; readonly reason: string; readonly message: string };

/** Memoized by location row, for one profile. A binary counts only when it has Go's tables. */
export function locator(profile: Profile, binaries: BinaryStore): (location: number) => PlacedLocation {
  const placed = new Map<number, PlacedLocation>();
  return (location) => {
    let place = placed.get(location);
    if (place === undefined) {
      place = locate(profile, binaries, location);
      placed.set(location, place);
    }
    return place;
  };
}

function locate(profile: Profile, binaries: BinaryStore, location: number): PlacedLocation {
  const mapped = binaries.forMapping(profile, profile.locations.mapping[location]!);
  if (mapped.binary === undefined) return mapped;
  const { binary } = mapped;
  const refuse = (reason: string, message: string): PlacedLocation => ({ binary: undefined, reason, message });
  try {
    if (binary.go === undefined) return refuse('no_go_table', `${binary.path}: no Go function table`);
    if (isBeforeGo116(binary.go)) {
      return refuse('go_version', `${binary.path}: checks are found in code of Go 1.16 … 1.27, this is of 1.2 … 1.15`);
    }
  } catch (error) {
    if (error instanceof FormatError) return refuse('spoilt_go_table', `${binary.path}: ${error.describe()}`);
    throw error;
  }
  if (binary.architecture !== 'amd64' && binary.architecture !== 'arm64') {
    return refuse('architecture', `${binary.path}: checks are found in amd64 and arm64 code only`);
  }
  const objectAddress = mapped.toObjectAddress(profile.locations.address[location]!);
  if (objectAddress === undefined) return refuse('outside_binary', `${binary.path}: addresses outside of its segments`);
  return { binary, objectAddress };
}
