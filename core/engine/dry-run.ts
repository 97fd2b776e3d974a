/** What a run would read and write, found without doing either: every plugin is made, and asked. */
import type { Plan } from '../config/plan.js';
import { mainContext, makeSource } from './flow/source-of-plan.js';
import { Delivery } from './outputs/delivery.js';
import { loadRegistry } from './plugins/registry.js';
import { TaskRunner } from './tasks/task-runner.js';

export interface DryRun {
  /** As far as the source knows before it is read. */
  readonly inputs: { readonly count?: number; readonly bytes?: number; readonly names?: readonly string[] };
  /** By output of the plan; absent where the destinations depend on what is read: on labels, on groups, on names that nobody knows yet. */
  readonly outputs: readonly (readonly string[] | undefined)[];
}

/** @throws UsageError as a run does that cannot start */
export async function dryRun(plan: Plan, registryModule: string): Promise<DryRun> {
  const registry = await loadRegistry(registryModule, plan.pluginModules);
  const { signal } = new AbortController();
  const context = await mainContext(plan, registry, signal);
  const source = await makeSource(plan, registry, context);
  const delivery = await Delivery.open(plan, registry, context, source);
  const setup = { plan, registryModule, labelKeys: delivery.labelKeys };
  const runner = await TaskRunner.create(setup, registry, signal);
  const { count, totalBytes, names } = source;
  const outputs = delivery.destinations();
  await runner.close();
  await source.close?.();
  await delivery.close();
  return {
    inputs: {
      ...(count === undefined ? {} : { count }),
      ...(totalBytes === undefined ? {} : { bytes: totalBytes }),
      ...(names === undefined ? {} : { names }),
    },
    outputs,
  };
}
