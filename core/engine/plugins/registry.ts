/** The plugins at hand, by kind and name: an explicit list, checked once. */
import type { Catalogue, CatalogueEntry, PluginKind } from '../../config/catalogue.js';
import { UsageError } from '../contract/errors.js';
import type { PluginRef } from '../contract/places.js';
import type { Plugin } from '../contract/plugin.js';

const BUILT_IN = 'built-in';

type PluginOf<Kind extends PluginKind> = Extract<Plugin, { kind: Kind }>;

export interface Registry {
  readonly catalogue: Catalogue;
  get<Kind extends PluginKind>(kind: Kind, name: string): PluginOf<Kind>;
  codecs(): readonly PluginOf<'codec'>[];
  /** What messages say of it. @throws UsageError as `get` does */
  ref(kind: PluginKind, name: string): PluginRef;
}

/**
 * Built-ins, and what the modules of a pipeline's `plugins:` export.
 * @param onProblem takes what is wrong with a module, which is left out then; without it the first problem is thrown
 * @throws UsageError that names the module: it does not load, its plugin is malformed, two plugins bear one name
 */
export async function loadRegistry(
  registryModule: string,
  pluginModules: readonly string[] = [],
  onProblem?: (module: string, problem: UsageError) => void,
): Promise<Registry> {
  const { builtins } = (await import(registryModule)) as { builtins: readonly Plugin[] };
  const registry = new PluginTable();
  for (const plugin of builtins) registry.add(plugin, BUILT_IN);
  if (pluginModules.length === 0) return registry;
  const { loadPluginModule } = await import('./load-module.js');
  for (const url of pluginModules) {
    try {
      for (const plugin of await loadPluginModule(url)) registry.add(plugin, url);
    } catch (error) {
      if (onProblem === undefined || !(error instanceof UsageError)) throw error;
      onProblem(url, error);
    }
  }
  return registry;
}

class PluginTable implements Registry {
  readonly #plugins = new Map<string, { readonly plugin: Plugin; readonly origin: string }>();
  readonly catalogue: Catalogue = {
    find: (kind, name) => {
      const known = this.#plugins.get(`${kind} ${name}`);
      return known === undefined ? undefined : entryOf(known.plugin, known.origin);
    },
    list: () => [...this.#plugins.values()].map(({ plugin, origin }) => entryOf(plugin, origin)),
  };

  add(plugin: Plugin, origin: string): void {
    // Stages and aggregates share the list `stages:`, so they share one set of names.
    const clash = plugin.kind === 'stage' ? 'aggregate' : plugin.kind === 'aggregate' ? 'stage' : plugin.kind;
    for (const kind of new Set([plugin.kind, clash])) {
      const other = this.#plugins.get(`${kind} ${plugin.name}`);
      if (other !== undefined) {
        throw new UsageError(
          'plugin-name-twice',
          `two plugins are called ${kind} "${plugin.name}": ${other.origin} and ${origin}`,
        );
      }
    }
    this.#plugins.set(`${plugin.kind} ${plugin.name}`, { plugin, origin });
  }

  get<Kind extends PluginKind>(kind: Kind, name: string): PluginOf<Kind> {
    const known = this.#plugins.get(`${kind} ${name}`);
    if (known === undefined) throw new UsageError('unknown-plugin', `no ${kind} is called "${name}"`);
    return known.plugin as PluginOf<Kind>;
  }

  codecs(): readonly PluginOf<'codec'>[] {
    return [...this.#plugins.values()].map(({ plugin }) => plugin).filter((plugin) => plugin.kind === 'codec');
  }

  ref(kind: PluginKind, name: string): PluginRef {
    const { version } = this.get(kind, name);
    const { origin } = this.#plugins.get(`${kind} ${name}`)!;
    return { kind, name, version, ...(origin === BUILT_IN ? {} : { module: origin }) };
  }
}

function entryOf(plugin: Plugin, origin: string): CatalogueEntry {
  const { kind, name, version, summary, schema, needs, provides } = plugin;
  return {
    kind,
    name,
    version,
    summary,
    schema,
    origin,
    ...(plugin.checkOptions === undefined
      ? {}
      : { checkOptions: (options: unknown) => plugin.checkOptions?.(options) ?? [] }),
    ...(needs === undefined ? {} : { needs }),
    ...(provides === undefined ? {} : { provides }),
    ...(plugin.kind === 'codec'
      ? { decodes: plugin.decodes, encodes: plugin.encodes, extensions: plugin.extensions }
      : {}),
    ...(plugin.kind === 'aggregate' && plugin.groupFields !== undefined
      ? { groupFields: (options: unknown) => plugin.groupFields?.(options) ?? [] }
      : {}),
    ...(plugin.kind === 'sink' && plugin.defaultCodec !== undefined ? { defaultCodec: plugin.defaultCodec } : {}),
  };
}
