/** The plugins at hand, by kind and name: an explicit list, checked once. */
import type { Catalogue, CatalogueEntry, PluginKind } from '../config/catalogue.js';
import { UsageError } from './errors.js';
import { API_VERSION, type Plugin } from './plugin.js';

type PluginOf<Kind extends PluginKind> = Extract<Plugin, { kind: Kind }>;

export interface Registry {
  readonly catalogue: Catalogue;
  get<Kind extends PluginKind>(kind: Kind, name: string): PluginOf<Kind>;
  codecs(): readonly PluginOf<'codec'>[];
  /** "built-in", or the module it came from. */
  originOf(plugin: Plugin): string;
}

const kinds = new Set<string>(['source', 'codec', 'stage', 'aggregate', 'sink']);

/**
 * Built-ins, and what the modules of a pipeline's `plugins:` export (`default`: a plugin or a list of them).
 * @throws UsageError that names the module: it does not load, its plugin is malformed, two plugins bear one name
 */
export async function loadRegistry(registryModule: string, pluginModules: readonly string[] = []): Promise<Registry> {
  const { builtins } = (await import(registryModule)) as { builtins: readonly Plugin[] };
  const registry = new PluginTable();
  for (const plugin of builtins) registry.add(plugin, 'built-in');
  for (const url of pluginModules) {
    let module: { default?: unknown };
    try {
      module = (await import(url)) as { default?: unknown };
    } catch (error) {
      throw new UsageError(
        'plugin-load',
        `plugin ${url} does not load: ${error instanceof Error ? error.message : error}`,
        { cause: error },
      );
    }
    const exported = Array.isArray(module.default) ? module.default : [module.default];
    for (const plugin of exported) {
      await checkPlugin(plugin, url);
      registry.add(plugin as Plugin, url);
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

  originOf(plugin: Plugin): string {
    return this.#plugins.get(`${plugin.kind} ${plugin.name}`)?.origin ?? 'unknown';
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
    ...(needs === undefined ? {} : { needs }),
    ...(provides === undefined ? {} : { provides }),
    ...(plugin.kind === 'codec'
      ? { decodes: plugin.decodes, encodes: plugin.encodes, extensions: plugin.extensions }
      : {}),
    ...(plugin.kind === 'sink' && plugin.defaultCodec !== undefined ? { defaultCodec: plugin.defaultCodec } : {}),
  };
}

/** A third party's plugin is data from outside until it was looked at. */
async function checkPlugin(value: unknown, origin: string): Promise<void> {
  const wrong = (what: string): never => {
    throw new UsageError('plugin-malformed', `plugin ${origin}: ${what}`);
  };
  if (typeof value !== 'object' || value === null)
    wrong('its default export is no plugin (use defineStage, defineCodec …)');
  const plugin = value as Record<string, unknown>;
  if (typeof plugin.kind !== 'string' || !kinds.has(plugin.kind))
    wrong(`kind is ${JSON.stringify(plugin.kind)}, not one of ${[...kinds].join(', ')}`);
  if (typeof plugin.name !== 'string' || !/^[a-z][a-z0-9-]*$/.test(plugin.name))
    wrong(`name is ${JSON.stringify(plugin.name)}, not one lower-case word`);
  if (typeof plugin.version !== 'string') wrong('version is missing');
  if (typeof plugin.summary !== 'string') wrong('summary is missing');
  if (typeof plugin.create !== 'function') wrong('create is no function');
  if (typeof plugin.schema !== 'object' || plugin.schema === null)
    wrong('schema (JSON Schema of its options) is missing');
  if (typeof plugin.api !== 'string') wrong('api (semver range of the plugin API) is missing');
  const { default: satisfies } = await import('semver/functions/satisfies.js');
  if (!satisfies(API_VERSION, plugin.api as string))
    wrong(`was made for plugin API ${plugin.api}, this is ${API_VERSION}`);
}
