/** Work at a place of the plan: its worker says where it is, a third party's plugin is guarded, and an error learns its place. */

import { describeFailure, type ItemFailure } from '../contract/errors.js';
import { ENGINE_PLACE, type PluginSite, type Site } from '../contract/places.js';
import type { Trace } from '../contract/trace.js';
import { callStranger, callStrangerNow } from '../strangers/guards.js';

/** Carries the place of a failure outwards. */
export class Misstep extends Error {
  readonly site: Site;

  constructor(site: Site, cause: unknown) {
    super('', { cause });
    this.site = site;
  }
}

export async function attempt<T>(site: Site, trace: Trace, work: () => T | Promise<T>): Promise<T> {
  trace.enter(site.place);
  try {
    return await (isStranger(site) ? callStranger(site.plugin, work) : work());
  } catch (error) {
    throw error instanceof Misstep ? error : new Misstep(site, error);
  } finally {
    trace.enter(ENGINE_PLACE);
  }
}

/** For what the contract gives at once. */
export function attemptNow<T>(site: Site, trace: Trace, work: () => T): T {
  trace.enter(site.place);
  try {
    return isStranger(site) ? callStrangerNow(site.plugin, work) : work();
  } catch (error) {
    throw error instanceof Misstep ? error : new Misstep(site, error);
  } finally {
    trace.enter(ENGINE_PLACE);
  }
}

/** Whether a third party's plugin is at work: what it returns is looked at. */
export function isStranger(site: Site): site is PluginSite {
  return site.plugin?.module !== undefined;
}

export function failureOf(error: unknown, item: { readonly uri: string; readonly index: number }): ItemFailure {
  const { uri, index } = item;
  if (!(error instanceof Misstep)) return describeFailure(error, { uri, index, stage: 'engine' });
  const { stage, plugin } = error.site;
  return describeFailure(error.cause, { uri, index, stage, plugin });
}
