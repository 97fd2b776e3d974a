/** Reports of stages: merged by the stage's own rule, shown beside the outputs. */
import type { Plan } from '../../config/plan.js';
import { ENGINE_PLACE } from '../contract/places.js';
import type { FactsCollector, MergeReports, StageReport } from '../contract/telemetry.js';
import { callStrangerNow } from '../strangers/guards.js';
import { isStranger } from './attempt.js';
import type { Registry } from './registry.js';

/** How two reports of the stage at a plan position become one. */
export function reportMerger(plan: Plan, registry: Registry): MergeReports {
  return (position, a, b) => {
    const { plugin } = stageAt(plan, position);
    const { mergeReports } = registry.get('stage', plugin);
    if (mergeReports === undefined) throw new Error(`stage "${plugin}" reports but has no mergeReports`);
    const site = { place: ENGINE_PLACE, stage: '', plugin: registry.ref('stage', plugin) };
    return isStranger(site) ? callStrangerNow(site.plugin, () => mergeReports(a, b)) : mergeReports(a, b);
  };
}

/** In the order of the plan. One that its stage cannot show becomes a warning of the facts. */
export function showReports(plan: Plan, registry: Registry, facts: FactsCollector): StageReport[] {
  return Object.entries(facts.reports)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([position, report]) => {
      const { plugin, options } = stageAt(plan, position);
      const stage = registry.get('stage', plugin);
      const shown = <T>(show: () => T): T | undefined => {
        const ref = registry.ref('stage', plugin);
        if (ref.module === undefined) return show();
        try {
          return callStrangerNow(ref, () => plainData(show()));
        } catch (error) {
          facts.warn('report_unreadable', `stage ${plugin} ${ref.version} cannot show its report: ${error}`);
          return undefined;
        }
      };
      const table = shown(() => stage.renderReport?.(report, options));
      return {
        position,
        plugin,
        ...(table === undefined ? {} : { table }),
        json: shown(() => stage.reportJson?.(report, options)) ?? report,
      };
    });
}

/** @param position "segment.stage" */
function stageAt(plan: Plan, position: string) {
  const [segment, index] = position.split('.').map(Number);
  return plan.segments[segment!]!.stages[index!]!;
}

/** What a third party's plugin shows must be plain data: it is printed, and written as JSON. */
function plainData<T>(value: T): T {
  JSON.stringify(value, (_key, member) => (typeof member === 'bigint' ? 0 : member));
  return value === undefined ? value : structuredClone(value);
}
