/** What a walk needs to know of one pc: the host writes it once, when a walk first comes there. */
import { allocate, release } from '../memory';

@unmanaged
export class Site {
  /** Compared by its bits: whatever a walk comes to is found again. */
  pc: u64;
  /** Address space that the pc is in. */
  space: u32;
  /** Whether it was asked for as that of an instruction about to run; and whether it is. */
  isAskedExact: u32;
  isExact: u32;
  /** Of the frame; NO_ROW where no code is mapped. */
  locationRow: u32;
  /** One of kernel-codes.ts; the words of its rule are behind SITE_BYTES. */
  method: u32;
  /** The host's. */
  number: u32;
  /** The caller's site as it was found last, 0 for none: most frames are called from where they were called before. */
  caller: usize;
}

export const NO_ROW: u32 = 0xffffffff;

const FIRST_SLOTS: u32 = 1024;

/** Sites by what they are found by: open addressing, 0 is free. */
let slots: usize = 0;
let slotCount: u32 = 0;
let used: u32 = 0;

/** All sites, whose memory has been given back. */
export function forgetSites(): void {
  used = 0;
  setSlots(FIRST_SLOTS);
}

export function addSite(address: usize): void {
  used++;
  if (used * 2 > slotCount) enlarge();
  put(address);
}

/** @returns 0 where the host has told none */
export function findSite(space: u32, pc: u64, isExact: u32): usize {
  let slot = slotOf(space, pc, isExact);
  let found = load<usize>(slots + slot * sizeof<usize>());
  while (found !== 0 && !isAt(changetype<Site>(found), space, pc, isExact)) {
    slot = (slot + 1) & (slotCount - 1);
    found = load<usize>(slots + slot * sizeof<usize>());
  }
  return found;
}

export function isAt(site: Site, space: u32, pc: u64, isExact: u32): boolean {
  return site.pc === pc && site.isAskedExact === isExact && site.space === space;
}

function put(address: usize): void {
  const site = changetype<Site>(address);
  let slot = slotOf(site.space, site.pc, site.isAskedExact);
  while (load<usize>(slots + slot * sizeof<usize>()) !== 0) slot = (slot + 1) & (slotCount - 1);
  store<usize>(slots + slot * sizeof<usize>(), address);
}

function slotOf(space: u32, pc: u64, isExact: u32): u32 {
  return u32(((pc ^ ((2 * space + isExact) * 0x9e3779b1)) * 0x9e3779b97f4a7c15) >> 32) & (slotCount - 1);
}

function setSlots(count: u32): void {
  slotCount = count;
  slots = allocate(count * sizeof<usize>());
  memory.fill(slots, 0, count * sizeof<usize>());
}

function enlarge(): void {
  const old = slots;
  const oldCount = slotCount;
  setSlots(2 * oldCount);
  for (let slot: u32 = 0; slot < oldCount; slot++) {
    const address = load<usize>(old + slot * sizeof<usize>());
    if (address !== 0) put(address);
  }
  release(old, oldCount * sizeof<usize>());
}
