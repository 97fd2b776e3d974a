/** The source of a plan, as the main thread makes it. */
import type { Plan } from '../config/plan.js';
import { openBinaries } from './binaries.js';
import { createContext } from './create-context.js';
import { guardedSource } from './main-thread.js';
import { Maker } from './maker.js';
import type { CreateContext, Source } from './plugin.js';
import type { Registry } from './registry.js';
import { mainThreadPlugins } from './used-plugins.js';

/** For the plan's source and sinks. */
export async function mainContext(plan: Plan, registry: Registry, signal: AbortSignal): Promise<CreateContext> {
  const binaries = await openBinaries(mainThreadPlugins(plan, registry), plan.limits, signal);
  return createContext(binaries, plan.limits, signal);
}

/** Guarded where it is a third party's; nothing is read yet. @throws UsageError as a run does that cannot start */
export async function makeSource({ source: use }: Plan, registry: Registry, context: CreateContext): Promise<Source> {
  const made = await new Maker(registry, context).make('source', use, `input.${use.plugin}`);
  const ref = registry.ref('source', use.plugin);
  return ref.module === undefined ? made : guardedSource(ref, made);
}
