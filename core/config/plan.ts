/**
 * A checked pipeline, ready to run: frozen plain data that crosses threads. Made by core/config (from YAML) only; run by
 * core/engine only. `run`, `lint` and `graph` all go through it.
 */
import type { Limits } from '../formats/limits.js';

/** A plugin in use: its name in the registry, and options that passed its schema, defaults filled in. */
export interface PluginUse {
  readonly plugin: string;
  readonly options: unknown;
}

/** A run of per-profile stages, and the barrier behind it (absent behind the last run). */
export interface PlanSegment {
  readonly stages: readonly PluginUse[];
  readonly aggregate?: PluginUse;
}

export interface PlanOutput {
  readonly sink: PluginUse;
  readonly codec: PluginUse;
}

export interface Plan {
  readonly name: string;
  /** The file it was read from, for messages. */
  readonly file: string;
  /** Third-party plugin modules, as absolute file: URLs, to be loaded beside the built-ins. */
  readonly pluginModules: readonly string[];
  readonly source: PluginUse;
  /** Absent: told by the bytes. */
  readonly inputCodec?: PluginUse;
  /** At least one; all but the last have an aggregate, the last may have none. Stages behind the last barrier are a segment of their own. */
  readonly segments: readonly PlanSegment[];
  readonly outputs: readonly PlanOutput[];
  readonly onError: 'dead-letter' | 'stop';
  /** Absolute path of the folder for bad items. */
  readonly deadLetter: string;
  /** Workers are threads, or processes that Node keeps from writing files and starting others. */
  readonly isolation: 'thread' | 'process';
  /** What one item may take, read to encoded. */
  readonly timeoutMs: number;
  readonly limits: Partial<Limits>;
  /** Values to be masked in whatever is written beside the outputs (see secrets.ts). */
  readonly secrets: readonly string[];
}
