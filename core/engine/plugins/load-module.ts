/** A third party's module -> the plugins that it exports. */
import { fileURLToPath } from 'node:url';
import { pluginProblems } from '../contract/check-plugin.js';
import { ItemError, UsageError } from '../contract/errors.js';
import type { Plugin } from '../contract/plugin.js';
import { callStranger, installGuards } from '../strangers/guards.js';

/**
 * @param url of an ES module whose `default` is a plugin or a list of plugins, or of a CommonJS module that exports one
 *   (`module.exports = …`, `exports.default = …`)
 * @throws UsageError that names the file: `plugin-load` when it throws or ends the process, `plugin-malformed` with all that is wrong
 */
export async function loadPluginModule(url: string): Promise<readonly Plugin[]> {
  const file = fileURLToPath(url);
  const exported = defaultOf(await importGuarded(url, file));
  const plugins = Array.isArray(exported) ? exported : [exported];
  if (plugins.length === 0) throw new UsageError('plugin-malformed', `plugin ${file}: its default export is empty`);
  const problems: string[] = [];
  for (const [index, plugin] of plugins.entries()) {
    const what = Array.isArray(exported) ? `default[${index}]: ` : 'default export: ';
    for (const problem of await problemsOf(plugin)) problems.push(`${what}${problem}`);
  }
  if (problems.length > 0) throw new UsageError('plugin-malformed', `plugin ${file}: ${problems.join('; ')}`);
  return plugins as Plugin[];
}

/** Compiled by TypeScript to CommonJS, the plugin is the `default` of what `import` calls default. */
function defaultOf(module: { readonly default?: unknown }): unknown {
  const exported = module.default;
  if (typeof exported !== 'object' || exported === null || !('__esModule' in exported)) return exported;
  return (exported as { readonly default?: unknown }).default;
}

/** A getter of the value may throw. */
async function problemsOf(plugin: unknown): Promise<readonly string[]> {
  try {
    return await pluginProblems(plugin);
  } catch (error) {
    return [`reading it throws: ${error}`];
  }
}

async function importGuarded(url: string, file: string): Promise<{ readonly default?: unknown }> {
  const onExit = (code: number) => {
    // A signal came meanwhile.
    if (code === 130 || code === 143) return;
    process.stderr.write(`pipe: plugin ${file} ended the process (exit code ${code}) while it was loaded\n`);
    process.exitCode = 2;
  };
  installGuards();
  process.on('exit', onExit);
  try {
    return await callStranger({ kind: 'stage', name: file, version: '', module: url }, () => import(url));
  } catch (error) {
    if (error instanceof ItemError && error.code === 'E_PLUGIN_TAMPERED') {
      throw new UsageError('plugin-malformed', `plugin ${file} ${error.message.replace(/^changed/, 'changes')}`);
    }
    throw new UsageError('plugin-load', `plugin ${file} does not load: ${describeThrown(error)}`, { cause: error });
  } finally {
    process.off('exit', onExit);
  }
}

/** With the place in the file, where the stack has one outside of Node: a syntax error's has none. */
function describeThrown(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const place = /^\s+at (?:.* \()?(file:.*:\d+:\d+|\/.*:\d+:\d+)\)?$/m.exec(error.stack ?? '');
  return place === null ? `${error.name}: ${error.message}` : `${error.name}: ${error.message} (${place[1]})`;
}
