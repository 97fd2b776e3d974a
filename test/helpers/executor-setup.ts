/** A plan for tests of what runs tasks. */
import type { WorkerSetup } from '../../core/engine/contract/protocol.js';

/** For executors, with the plugins of `engine-plugins.ts`: each text's words, one output each. */
export const executorSetup: WorkerSetup = {
  plan: {
    name: 'test',
    file: 'test.yml',
    pluginModules: [],
    source: { plugin: 'texts', options: { texts: [] } },
    segments: [{ stages: [] }],
    outputs: [{ sink: { plugin: 'file', options: { path: '{name}.words' } }, codec: { plugin: 'words', options: {} } }],
    onError: 'dead-letter',
    deadLetter: 'dead-letter',
    isolation: 'thread',
    timeoutMs: 300_000,
    limits: {},
    secrets: [],
  },
  registryModule: new URL('engine-plugins.js', import.meta.url).href,
  labelKeys: [],
};
