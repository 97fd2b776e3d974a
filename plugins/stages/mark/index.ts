/**
 * mark: puts a virtual innermost line, `runtime.boundcheck` or `runtime.nilcheck`, on samples taken at a check that Go's compiler
 * put into the code. Needs addresses and the binary; symbols only where they are there.
 */
import { defineStage } from '../../../core/index.js';
import { type MarkOptions, markSchema } from '../../../schemas/gen/options/mark.js';
import { renderReport, reportJson } from './render.js';
import { type MarkReport, mergeReports } from './report.js';

export const markStage = defineStage<MarkOptions, MarkReport>({
  name: 'mark',
  version: '1.0.0',
  api: '^1.0.0',
  summary: 'marks samples that were taken at a bounds check or nil check of Go code',
  schema: markSchema,
  readsBinaries: true,
  needs: ['addresses'],
  async create(options, { binaries }) {
    binaries.add(options.binaries);
    const { CheckIndex } = await import('./check-index.js');
    const { markProfile } = await import('./mark.js');
    const index = new CheckIndex();
    return { process: (profile, context) => markProfile(profile, options, binaries, index, context) };
  },
  mergeReports,
  renderReport: (report, { top }) => renderReport(report, top),
  reportJson,
});
