/** The files that addresses are looked up in, and where they are loaded. */
import type { Binary } from '../../binary/binary.js';
import { type Mapping, objectAddresses } from '../../binary/mapping.js';
import { type Lookup, SymbolChain } from '../../binary/symbols/chain.js';
import type { FrameRows } from '../../binary/symbols/source.js';
import { OUTSIDE } from './kernel-codes.js';

/** How runtime addresses become those of the file. */
export type Placement =
  /** They are the file's own. */
  | { readonly kind: 'linked' }
  /** The file's lowest address is loaded here. */
  | { readonly kind: 'base'; readonly runtimeBase: bigint }
  | { readonly kind: 'mapping'; readonly mapping: Mapping };

/** A line of /proc/PID/maps, or the same without flags: "7f00a000-7f00c000 r-xp 00002000 …". @returns undefined for anything else */
export function parseMapping(text: string): Mapping | undefined {
  const match =
    /^(?:0x)?([0-9a-f]{1,16})-(?:0x)?([0-9a-f]{1,16})(?: +[-rwxsp]{4})? +(?:0x)?([0-9a-f]{1,16})(?: |$)/i.exec(text);
  if (match === null) return undefined;
  const [memoryStart, memoryLimit, fileOffset] = match.slice(1).map((digits) => BigInt(`0x${digits}`));
  return {
    memoryStart: memoryStart!,
    memoryLimit: memoryLimit!,
    fileOffset: fileOffset!,
    filename: '',
    buildId: '',
  };
}

/** One opened file. */
export class Target {
  readonly #binary: Binary;
  readonly #chain: SymbolChain;
  /** Runtime address of object address 0; undefined where only a part of the file is loaded. */
  readonly base: bigint | undefined;
  /** Undefined outside of the file. */
  readonly objectAddress: (address: bigint) => number | undefined;

  constructor(binary: Binary, placement: Placement, demangle: (name: string) => string) {
    this.#binary = binary;
    this.#chain = new SymbolChain(binary, demangle);
    this.base =
      placement.kind === 'mapping' ? undefined : placement.kind === 'base' ? placement.runtimeBase : binary.imageBase;
    this.objectAddress = placement.kind === 'mapping' ? objectAddresses(binary, placement.mapping) : above(this.base!);
  }

  /** What is spoilt or missing of the file's tables, as far as addresses led there. */
  get faults(): readonly string[] {
    return this.#chain.faults;
  }

  lookup(address: bigint): Lookup {
    return this.lookupObject(this.objectAddress(address) ?? OUTSIDE);
  }

  /** @param objectAddress or OUTSIDE */
  lookupObject(objectAddress: number): Lookup {
    if (objectAddress === OUTSIDE) return { frames: undefined, reason: 'outside_binary' };
    return this.#chain.lookup(objectAddress);
  }

  /** What is quickly known of many object addresses: see `SymbolSource.rowsAt`. */
  rowsAt(objectAddresses: Float64Array): FrameRows | undefined {
    return this.#chain.rowsAt(objectAddresses);
  }

  /** Closes the file. */
  release(): void {
    this.#binary.release();
  }
}

function above(base: bigint): (address: bigint) => number | undefined {
  return (address) => {
    const objectAddress = address - base;
    const isExact = objectAddress >= 0n && objectAddress <= BigInt(Number.MAX_SAFE_INTEGER);
    return isExact ? Number(objectAddress) : undefined;
  };
}
