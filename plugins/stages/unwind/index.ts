/**
 * unwind: captured registers and stacks become stacks of locations. Needs captures, of the codec `perf`; provides addresses. A profile
 * without captures passes as it is.
 */
import { defineStage } from '../../../core/index.js';
import { type UnwindOptions, unwindSchema } from '../../../schemas/gen/options/unwind.js';
import { mergeReports, renderReport, type UnwindReport } from './report.js';

export const unwindStage = defineStage<UnwindOptions, UnwindReport>({
  name: 'unwind',
  version: '1.0.0',
  api: '^1.0.0',
  summary: 'makes stacks of captured registers and stack bytes',
  schema: unwindSchema,
  readsBinaries: true,
  needs: ['capture'],
  provides: ['addresses'],
  async create(options, context) {
    context.binaries.add(options.binaries);
    const { unwind } = await import('./unwind.js');
    const { TableCache } = await import('./binary-tables.js');
    const cache = new TableCache();
    return {
      async process(profile, item) {
        const spaces = profile.samples.captures?.spaces ?? [];
        const rows = new Set<number>();
        for (const { mapping } of spaces) for (const row of mapping) rows.add(row);
        for (const problem of await context.binaries.fetchMissing(profile, rows)) item.warn('server_failed', problem);
        const { profile: unwound, report, warnings } = unwind(profile, context.binaries, cache, options);
        for (const [message, code] of warnings) item.warn(code, message);
        for (const { ending, stacks } of report.endings) item.count(`stacks.${ending}`, stacks);
        item.report(report);
        return unwound;
      },
    };
  },
  mergeReports,
  renderReport,
});
