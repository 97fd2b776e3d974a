/** The source of a plan, as the main thread makes it. */
import type { Plan } from '../../config/plan.js';
import type { CreateContext, Source } from '../contract/plugin.js';
import { openBinaries } from '../plugins/binaries.js';
import { guardedSource } from '../plugins/main-thread.js';
import { Maker } from '../plugins/maker.js';
import type { Registry } from '../plugins/registry.js';
import { mainThreadPlugins } from '../plugins/used-plugins.js';
import { createContext } from '../tasks/create-context.js';

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
