/** Plugins of a plan, made: `create` guarded and given its place, and what it returns looked at. */
import type { PluginUse } from '../../config/plan.js';
import { creating } from '../contract/errors.js';
import type { Aggregate, Codec, CreateContext, PluginKind, Sink, Source, Stage } from '../contract/plugin.js';
import { callStranger } from '../strangers/guards.js';
import type { Registry } from './registry.js';

interface Made {
  readonly source: Source;
  readonly codec: Codec;
  readonly stage: Stage<unknown>;
  readonly aggregate: Aggregate<unknown>;
  readonly sink: Sink;
}

/** Functions that the contract wants of each kind. A codec's are either of two. */
const methods: Readonly<Record<PluginKind, readonly string[]>> = {
  source: ['items'],
  codec: [],
  stage: ['process'],
  aggregate: ['empty', 'add', 'merge', 'encode', 'decode', 'finish'],
  sink: ['destination', 'prepare', 'write'],
};

export class Maker {
  readonly #registry: Registry;
  readonly #context: CreateContext;

  constructor(registry: Registry, context: CreateContext) {
    this.#registry = registry;
    this.#context = context;
  }

  /**
   * @param where "stages[1].mark"
   * @throws PluginRefusal for whatever `create` throws, and when it does not return what its kind is
   */
  make<Kind extends PluginKind>(kind: Kind, use: PluginUse, where: string): Promise<Made[Kind]> {
    return creating(where, async () => {
      const plugin: unknown = this.#registry.get(kind, use.plugin);
      const { create: make } = plugin as {
        create(options: unknown, context: CreateContext): Made[Kind] | Promise<Made[Kind]>;
      };
      const ref = this.#registry.ref(kind, use.plugin);
      const create = () => make.call(plugin, use.options, this.#context);
      if (ref.module === undefined) return create();
      const made: unknown = await callStranger(ref, create);
      const missing = methods[kind].find(
        (name) => typeof (made as Record<string, unknown> | null)?.[name] !== 'function',
      );
      if (typeof made !== 'object' || made === null || missing !== undefined) {
        throw new Error(`create returned no ${kind}: it has no function "${missing ?? 'decode'}"`);
      }
      return made as Made[Kind];
    });
  }
}
