/** The plugins of this program and of a pipeline. */
import type { UsageError } from '../engine/contract/errors.js';
import { loadRegistry, type Registry } from '../engine/plugins/registry.js';

/** file: URL of the module that lists the built-ins; the engine's workers load it too. */
export const registryModule = new URL('../../plugins/index.js', import.meta.url).href;

/**
 * @param onProblem takes what is wrong with a module, which is left out then
 * @throws UsageError without `onProblem`: for a module that does not load, or holds no plugin
 */
export function loadPlugins(
  modules: readonly string[] = [],
  onProblem?: (module: string, problem: UsageError) => void,
): Promise<Registry> {
  return loadRegistry(registryModule, modules, onProblem);
}
