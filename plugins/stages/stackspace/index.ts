/**
 * stackspace: which frames hold the memory of goroutine stacks, and how much of it is free. Takes goroutine profiles and the binary
 * they came from; adds a sample type of bytes beside the count. Needs addresses; symbols only where they are there.
 */
import { defineStage } from '../../../core/index.js';
import { type StackspaceOptions, stackspaceSchema } from '../../../schemas/gen/options/stackspace.js';
import { mergeReports, renderReport, reportJson, type StackspaceReport } from './report.js';

export const stackspaceStage = defineStage<StackspaceOptions, StackspaceReport>({
  name: 'stackspace',
  version: '1.0.0',
  api: '^1.0.0',
  summary: 'breaks the stacks of goroutine profiles down by frame, in bytes',
  schema: stackspaceSchema,
  readsBinaries: true,
  needs: ['addresses'],
  async create(given, { binaries, readFile }) {
    binaries.add(given.binaries);
    const { FrameCache } = await import('./frame-cache.js');
    const { withMetrics } = await import('./process-metrics.js');
    const { addStackSpace } = await import('./stackspace.js');
    const options = withMetrics(given, readFile);
    const cache = new FrameCache();
    return { process: (profile, context) => addStackSpace(profile, options, binaries, cache, context) };
  },
  mergeReports,
  renderReport,
  reportJson,
});
