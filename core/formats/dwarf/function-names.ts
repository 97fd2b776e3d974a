/** Names of functions, which stand at the DIE or at one that it refers to: abstract origin or specification. */
import { FormatError } from '../errors.js';
import { DieFields, Field } from './field.js';
import type { DieReference } from './unit.js';

export interface FunctionName {
  /** DW_AT_name: without namespaces, classes and parameters. */
  readonly name: string;
  /** The linker's name, mangled where the language does that; "" for a function that has none. */
  readonly linkageName: string;
  /** Line of the declaration; 0 when not known. */
  readonly startLine: number;
}

/** References from DIE to DIE, of which real ones have three. */
const MAX_REFERENCES = 32;

/** Filled anew for each DIE. */
const die = new DieFields();

/** What is known of a function, from its DIE outwards. @throws FormatError E_DWARF_CYCLE and those of spoilt units */
export function readFunctionName(from: DieReference): FunctionName {
  let at: DieReference | undefined = from;
  let name = '';
  let linkageName = '';
  let startLine = 0;
  for (let references = 0; at !== undefined; references++) {
    const { unit, position }: DieReference = at;
    if (references > MAX_REFERENCES) {
      throw new FormatError('E_DWARF_CYCLE', 'chain of references between DIEs does not end', {
        section: unit.file.infoName,
        offset: from.unit.encoding.offset + from.position,
        limit: MAX_REFERENCES,
      });
    }
    if (position < unit.encoding.bytes || !unit.readDie(position, die)) break;
    name ||= unit.text(die, Field.name) ?? '';
    linkageName ||= unit.text(die, Field.linkageName) ?? '';
    startLine ||= die.number(Field.declarationLine);
    if (name !== '' && linkageName !== '' && startLine !== 0) break;
    const next: number = die.has(Field.origin) ? Field.origin : Field.specification;
    at = die.has(next) ? unit.reference(die.forms[next]!, die.values[next]!) : undefined;
  }
  return { name, linkageName, startLine };
}
