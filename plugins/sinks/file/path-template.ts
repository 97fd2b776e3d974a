/** Output paths with `{name}`, `{index}`, `{label:KEY}` and `{group:FIELD}` (in YAML `${group.FIELD}`) in them. What is put in is one path component, whatever it holds. */
import { createHash } from 'node:crypto';

export interface PathTemplate {
  readonly labelKeys: readonly string[];
  expand(item: {
    readonly name: string;
    readonly index: number;
    readonly labels: { readonly [key: string]: string };
    readonly group?: Readonly<Record<string, string>>;
    /** From 2 on: `a/x.pb.gz` becomes `a/x.2.pb.gz`. */
    readonly part?: number;
  }): string;
  /** The part before the first placeholder: what is known before any item is. */
  readonly fixed: string;
}

const PLACEHOLDER = /\{(name|index|label:[^{}]+|group:[^{}]+)\}/g;

/** `.pb.gz`, `.json`, or nothing. */
const ENDING = /(?:(?<=[^/])\.[a-z][a-z0-9]*)?(?:(?<=[^/])\.(?:gz|zst))?$/i;

/** @throws Error that says which placeholder is unknown */
export function parseTemplate(template: string): PathTemplate {
  const unknown = /\{[^{}]*\}/.exec(template.replace(PLACEHOLDER, ''));
  if (unknown !== null)
    throw new Error(`unknown placeholder ${unknown[0]} (there are {name}, {index}, {label:KEY}, {group:FIELD})`);
  const keys = [...template.matchAll(PLACEHOLDER)].map(([, what]) => what!).filter((what) => what.startsWith('label:'));
  return {
    labelKeys: keys.map((what) => what.slice('label:'.length)),
    fixed: template.slice(0, template.search(PLACEHOLDER) < 0 ? template.length : template.search(PLACEHOLDER)),
    expand: ({ name, index, labels, group = {}, part = 1 }) => {
      const path = template.replace(PLACEHOLDER, (_, what: string) => {
        if (what === 'name') return safeComponent(name);
        if (what === 'index') return String(index);
        if (what.startsWith('group:')) return distinctComponent(group[what.slice('group:'.length)] ?? '');
        return safeComponent(labels[what.slice('label:'.length)] ?? '');
      });
      return part === 1 ? path : path.replace(ENDING, `.${part}$&`);
    },
  };
}

/** Bytes of a name that every file system takes, with room for what stands around it. */
const MAX_COMPONENT_BYTES = 200;

/**
 * Any text as part of one path component: separators, control characters and what Windows forbids become `_`; a name of dots only
 * gets a `_` in front. Not invertible: the engine refuses two items that come to one path.
 */
export function safeComponent(text: string): string {
  let safe = text.replace(/[\u0000-\u001f\u007f-\u009f/\\:*?"<>|]/g, '_').replace(/^\.+$/, '_$&');
  while (Buffer.byteLength(safe) > MAX_COMPONENT_BYTES) safe = safe.slice(0, -1);
  return safe === '' ? '_' : safe;
}

/** A safe component that is another one for each text: what had to be changed gets a part of the text's digest behind it. */
export function distinctComponent(text: string): string {
  const safe = safeComponent(text);
  return safe === text ? safe : `${safe}-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
}
