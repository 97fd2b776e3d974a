/**
 * Walks captured stacks from leaf to root. The host says what is at each pc, once (site.ts), and takes the steps that are not plain:
 * expressions, where Go changes stacks. One walk at a time:
 *
 *     placeStack, its first bytes copied there; registers written; start
 *     UNKNOWN_SITE?  newSite, written; goOnWith
 *     HOST_STEP?     registers, setPc and setHasLeftStack, then goOn
 *     else the end: `frames` has the callers' location rows
 */
import {
  DEPTH_LIMIT,
  GOES_ON,
  METHODS,
  NO_MAPPING,
  SITE_BYTES,
  UNKNOWN_SITE,
} from '../../plugins/stages/unwind/kernel-codes';
import { allocate, releaseAll } from '../memory';
import { addSite, findSite, forgetSites, isAt, NO_ROW, Site } from './site';
import { forgetStack, setStack } from './stack';
import { isExact, pc, setHasLeftStack, setPc, step } from './step';

export { registers, setMachine } from './machine';
export { placeStack, setAddressMask } from './stack';
export { hasLeftStack, isExact, pc, setHasLeftStack, setPc } from './step';

/** Of this walk: location rows of callers, leaf's caller first. */
export let frames: usize = 0;
export let frameCount: u32 = 0;
/** The site of the frame that is looked at; 0 before the leaf's is known. */
export let current: usize = 0;
/** u32s: steps that were taken by each method, of all walks since `begin`. */
export const steps: usize = memory.data(METHODS * 4, 8);

let space: u32 = 0;
let depthLimit: u32 = 0;
let depth: u32 = 0;

/** Forgets all sites. @param limit frames at most, the leaf included */
export function begin(limit: u32): void {
  releaseAll();
  forgetStack();
  forgetSites();
  depthLimit = limit;
  frames = allocate(limit * 4);
  memory.fill(steps, 0, METHODS * 4);
}

/** @returns memory of SITE_BYTES and so many words, for the host to write */
export function newSite(words: u32): usize {
  const site = allocate(SITE_BYTES + 4 * words);
  memory.fill(site, 0, SITE_BYTES);
  return site;
}

/** Walks from the leaf; `stackStart` is its stack pointer. @param firstBytes of the stack that are here @returns one of kernel-codes.ts */
export function start(ofSpace: u32, leafPc: f64, stackStart: f64, stackBytes: u32, firstBytes: u32): i32 {
  space = ofSpace;
  setPc(leafPc, 1);
  setHasLeftStack(0);
  setStack(stackStart, stackBytes, firstBytes);
  frameCount = 0;
  depth = 1;
  current = 0;
  return goTo(findSite(space, reinterpret<u64>(pc), isExact));
}

/** @param site that was unknown: of the frame's pc and `isExact` */
export function goOnWith(site: usize): i32 {
  addSite(site);
  if (current !== 0) changetype<Site>(current).caller = site;
  return goTo(site);
}

/** The host has taken a step. */
export function goOn(): i32 {
  if (depth >= depthLimit) return DEPTH_LIMIT;
  depth++;
  return goTo(callerOf(changetype<Site>(current)));
}

function goTo(first: usize): i32 {
  let next = first;
  while (next !== 0) {
    const site = changetype<Site>(next);
    if (current !== 0) {
      // A pc that no code is at was no return address.
      if (site.locationRow === NO_ROW) return NO_MAPPING;
      setPc(pc, site.isExact);
      store<u32>(frames + 4 * frameCount, site.locationRow);
      frameCount++;
    }
    current = next;
    const taken = step(site);
    if (taken !== GOES_ON) return taken;
    const counter = steps + 4 * site.method;
    store<u32>(counter, load<u32>(counter) + 1);
    if (depth >= depthLimit) return DEPTH_LIMIT;
    depth++;
    next = callerOf(site);
  }
  return UNKNOWN_SITE;
}

function callerOf(site: Site): usize {
  const bits = reinterpret<u64>(pc);
  const known = site.caller;
  if (known !== 0 && isAt(changetype<Site>(known), space, bits, isExact)) return known;
  const found = findSite(space, bits, isExact);
  site.caller = found;
  return found;
}
