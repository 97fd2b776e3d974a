/** Walks one captured stack from its leaf to its root. */
import {
  BAD_READ,
  DEPTH_LIMIT,
  GOES_ON,
  HOST_STEP,
  METHODS,
  NO_MAPPING,
  STACK_SWITCH,
  TRUNCATED,
} from '../../plugins/stages/unwind/kernel-codes';
import { allocate } from '../memory';
import { makeSite, stepByHost } from './imports';
import { addSite, findSite, isAt, NO_ROW, Site } from './site';
import { hasLeftStack, isExact, pc, setHasLeftStack, setPc, step } from './step';

/** Of this walk: location rows of callers, leaf's caller first. */
export let frames: usize = 0;
export let frameCount: u32 = 0;
/** Of this walk: the site of the frame that was looked at last; 0 before there is one. */
export let lastSite: usize = 0;
/** u32s: steps that were taken here by each method, of all walks since `beginWalks`. */
export const steps: usize = memory.data(METHODS * 4, 8);

let space: u32 = 0;
let depthLimit: u32 = 0;

/** @param limit frames at most, the leaf included */
export function beginWalks(limit: u32): void {
  depthLimit = limit;
  frames = allocate(limit * 4);
  memory.fill(steps, 0, METHODS * 4);
}

/** The registers are the leaf's, the stack is set. @returns how the stack ends */
export function walk(sample: u32, ofSpace: u32, leafPc: f64): i32 {
  space = ofSpace;
  setPc(leafPc, 1);
  setHasLeftStack(0);
  frameCount = 0;
  lastSite = 0;
  const ending = walkToRoot(sample);
  // What was not captured lies on the stack that was left.
  return hasLeftStack && (ending === TRUNCATED || ending === BAD_READ) ? STACK_SWITCH : ending;
}

function walkToRoot(sample: u32): i32 {
  let next = siteOfPc();
  let depth: u32 = 1;
  while (true) {
    const site = changetype<Site>(next);
    if (lastSite !== 0) {
      // A pc that no code is at was no return address.
      if (site.locationRow === NO_ROW) return NO_MAPPING;
      setPc(pc, site.isExact);
      store<u32>(frames + 4 * frameCount++, site.locationRow);
    }
    lastSite = next;
    const taken = take(sample, site);
    if (taken !== GOES_ON) return taken;
    if (depth++ >= depthLimit) return DEPTH_LIMIT;
    next = callerOf(site);
  }
}

function take(sample: u32, site: Site): i32 {
  const taken = step(site);
  if (taken === HOST_STEP) return stepByHost(sample, site.number);
  if (taken === GOES_ON) {
    const counter = steps + 4 * site.method;
    store<u32>(counter, load<u32>(counter) + 1);
  }
  return taken;
}

function callerOf(site: Site): usize {
  const known = site.caller;
  if (known !== 0 && isAt(changetype<Site>(known), space, reinterpret<u64>(pc), isExact)) return known;
  const found = siteOfPc();
  site.caller = found;
  return found;
}

function siteOfPc(): usize {
  const known = findSite(space, reinterpret<u64>(pc), isExact);
  if (known !== 0) return known;
  const made = makeSite(space, pc, isExact);
  addSite(made);
  return made;
}
