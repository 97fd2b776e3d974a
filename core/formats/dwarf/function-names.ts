/** Names of functions, which stand at the DIE or at one that it refers to: abstract origin or specification. */
import { FormatError } from '../errors.js';
import type { DieReference, Unit } from './unit.js';

export interface FunctionName {
  /** The linker's name, mangled where the language does that; of a function without, DW_AT_name: no namespaces, classes, parameters. */
  readonly systemName: string;
  /** Line of the declaration; 0 when not known. */
  readonly startLine: number;
}

/** References from DIE to DIE, of which real ones have three. */
const MAX_REFERENCES = 32;

/** What the kernel says of a name (kernels/dwarf/names.ts): as indexes of doubles, and of words. */
const Double = { name: 0, linkageName: 1, startLine: 2, reference: 3 } as const;
const Word = { nameForms: 8, referenceForm: 9, followed: 10 } as const;

/** What a name that is kept takes in memory, about. */
const NAME_BYTES = 256;

/** Names of the functions of one unit, which are kept. */
export class FunctionNames {
  readonly #unit: Unit;
  /** By position of the DIE in the unit. */
  readonly #names = new Map<number, FunctionName>();

  constructor(unit: Unit) {
    this.#unit = unit;
  }

  /** What is known of a function, from its DIE outwards. @throws FormatError E_DWARF_CYCLE and those of spoilt units */
  at(position: number): FunctionName {
    let name = this.#names.get(position);
    if (name === undefined) {
      name = readFunctionName({ unit: this.#unit, position });
      this.#names.set(position, name);
      this.#unit.file.hold(NAME_BYTES);
    }
    return name;
  }
}

function readFunctionName(from: DieReference): FunctionName {
  let at: DieReference | undefined = from;
  let name = '';
  let linkageName = '';
  let startLine = 0;
  for (let references = 0; at !== undefined; references++) {
    const { unit, position }: DieReference = at;
    if (references > MAX_REFERENCES) throw endlessChain(from);
    if (position < unit.encoding.bytes) break;
    const kernel = unit.readFunctionName(position, MAX_REFERENCES - references);
    if (kernel === undefined) break;
    const { words, doubles, functionName } = kernel;
    const value = functionName >>> 1;
    const nameForms = words[functionName + Word.nameForms]!;
    linkageName ||= unit.textOf(nameForms >>> 16, doubles[value + Double.linkageName]!) ?? '';
    if (linkageName === '') name ||= unit.textOf(nameForms & 0xffff, doubles[value + Double.name]!) ?? '';
    startLine ||= doubles[value + Double.startLine]!;
    if (linkageName !== '' && startLine !== 0) break;
    references += words[functionName + Word.followed]!;
    at = unit.reference(words[functionName + Word.referenceForm]! & 0xffff, doubles[value + Double.reference]!);
  }
  return { systemName: linkageName === '' ? name : linkageName, startLine };
}

function endlessChain({ unit, position }: DieReference): FormatError {
  return new FormatError('E_DWARF_CYCLE', 'chain of references between DIEs does not end', {
    section: unit.file.infoName,
    offset: unit.encoding.offset + position,
    limit: MAX_REFERENCES,
  });
}
