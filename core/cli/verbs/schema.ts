/** `pipe schema`: the JSON Schema of pipelines, for editors, with the plugins of the current folder in it. */
import { ExitCode } from '../exit-codes.js';
import type { Verb } from '../verb.js';

export const schema: Verb = {
  words: ['schema'],
  summary: 'print the JSON Schema of pipelines, with the plugins of this folder in it',
  positionals: [],
  options: {},
  examples: [
    [
      'pipe schema > pipeline.schema.json',
      'for editors: `# yaml-language-server: $schema=pipeline.schema.json` in a pipeline',
    ],
  ],
  async run(call) {
    const { loadFolderPlugins } = await import('../folder-plugins.js');
    const { editorSchema } = await import('../../config/editor-schema.js');
    const { catalogue } = await loadFolderPlugins(call.currentFolder, call.err);
    call.out.json(editorSchema(catalogue.list()));
    return ExitCode.ok;
  },
};
