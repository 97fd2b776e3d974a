/**
 * unwind: captured registers and stacks become stacks of locations. Needs captures, of the codec `perf`; provides addresses. A profile
 * without captures passes as it is.
 */
import { defineStage } from '../../../core/index.js';
import { type UnwindOptions, unwindSchema } from '../../../schemas/gen/options/unwind.js';
import { TableCache } from './modules.js';
import { mergeReports, renderReport, type UnwindReport } from './report.js';
import { unwind } from './unwind.js';

export const unwindStage = defineStage<UnwindOptions, UnwindReport>({
  name: 'unwind',
  version: '1.0.0',
  api: '^1.0.0',
  summary: 'makes stacks of captured registers and stack bytes',
  schema: unwindSchema,
  needs: ['capture'],
  provides: ['addresses'],
  create(options, context) {
    context.binaries.add(options.binaries);
    const cache = new TableCache();
    return {
      process(profile, item) {
        const { profile: unwound, report } = unwind(profile, context.binaries, cache, options);
        for (const { ending, stacks } of report.endings) item.count(`stacks.${ending}`, stacks);
        item.report(report);
        return unwound;
      },
    };
  },
  mergeReports,
  renderReport,
});
