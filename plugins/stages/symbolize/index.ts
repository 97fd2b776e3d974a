/**
 * symbolize: function names, files and lines for the addresses of a profile, inlined calls included, from the binaries it was
 * taken from. Needs addresses; provides symbols and lines. Reads Go's own tables, so that stripped Go binaries work.
 */
import { defineStage } from '../../../core/index.js';
import { type SymbolizeOptions, symbolizeSchema } from '../../../schemas/gen/options/symbolize.js';
import { mergeReports, renderReport, reportJson, type SymbolizeReport } from './report.js';

export const symbolizeStage = defineStage<SymbolizeOptions, SymbolizeReport>({
  name: 'symbolize',
  version: '1.0.0',
  api: '^1.0.0',
  summary: 'names functions, files and lines by the tables of the binaries',
  schema: symbolizeSchema,
  readsBinaries: true,
  needs: ['addresses'],
  provides: ['symbols', 'lines'],
  async create({ binaries, folders, root, debuginfod, force, demangle, ...runtime }, context) {
    context.binaries.add(binaries);
    context.binaries.search({
      ...(folders && { folders }),
      ...(root && { root }),
      ...(debuginfod?.servers && { servers: debuginfod.servers }),
      ...(debuginfod && { timeout: debuginfod.timeout, cacheBytes: debuginfod.cache_bytes }),
    });
    const { SymbolChains } = await import('../../../core/binaries.js');
    const { symbolize, mappingsWithoutLines } = await import('./symbolize.js');
    const { readRuntimeNames } = await import('./runtime-names.js');
    const sources = {
      binaries: context.binaries,
      chains: new SymbolChains(demangle),
      runtimeNames: readRuntimeNames(runtime, context),
    };
    return {
      async process(profile, item) {
        const problems = await context.binaries.fetchMissing(profile, mappingsWithoutLines(profile, force));
        for (const problem of problems) item.warn('server_failed', problem);
        const { profile: symbolized, report, warnings } = symbolize(profile, sources, force);
        for (const { code, message } of warnings) item.warn(code, message);
        for (const { locations, kept, symbolized, reasons } of report.mappings) {
          item.count('locations', locations);
          item.count('locations_symbolized', symbolized);
          if (kept > 0) item.count('locations_kept', kept);
          for (const [reason, count] of Object.entries(reasons)) item.count(`locations_unsymbolized.${reason}`, count);
        }
        item.report(report);
        return symbolized;
      },
    };
  },
  mergeReports,
  renderReport,
  reportJson,
});
