/** What plugins themselves have to say about options that passed their schemas, at the place of the value. */
import type { CatalogueEntry } from './catalogue.js';
import type { Findings } from './finding.js';
import { type ConfigNode, nodeAt, type Place } from './tree.js';

/** A plugin in use, and where its options are written. */
export interface PlacedUse {
  readonly entry: CatalogueEntry;
  readonly options: unknown;
  /** "stages[1].mark" */
  readonly where: string;
  readonly node: ConfigNode;
}

export async function checkOptions(uses: readonly PlacedUse[], findings: Findings): Promise<void> {
  for (const use of uses) {
    for (const { path, message } of await problemsOf(use)) {
      findings.add(placeOfOption(use, path), 'bad-option', `${optionText(use.where, path)}: ${message}`);
    }
  }
}

/** Of the value at a path in the options, or of what is written around it: a default is written nowhere. */
export function placeOfOption({ node }: PlacedUse, path: readonly (string | number)[]): Place {
  const steps = path.map(String);
  for (let length = steps.length; length > 0; length--) {
    const found = nodeAt(node, steps.slice(0, length));
    if (found !== undefined) return found.place;
  }
  return node.place;
}

/** A hook that throws is a problem of the whole. */
async function problemsOf({ entry, options }: PlacedUse) {
  try {
    return (await entry.checkOptions?.(options)) ?? [];
  } catch (error) {
    return [{ path: [], message: `checkOptions of ${entry.kind} "${entry.name}" throws: ${error}` }];
  }
}

/** `stages[1].filter.focus` */
function optionText(where: string, path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : `${text}.${step}`),
    where,
  );
}
