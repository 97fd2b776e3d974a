/** The plugins of this program and of a pipeline. */
import { loadRegistry, type Registry } from '../engine/registry.js';

/** file: URL of the module that lists the built-ins; the engine's workers load it too. */
export const registryModule = new URL('../../plugins/index.js', import.meta.url).href;

/** @throws UsageError for a module that does not load, or holds no plugin */
export function loadPlugins(modules: readonly string[] = []): Promise<Registry> {
  return loadRegistry(registryModule, modules);
}
