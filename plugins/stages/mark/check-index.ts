/** Which check an instruction belongs to: the functions that profiles ask for are disassembled once and kept. */
import { checkInstructions, findChecks } from '../../../core/binaries.js';
import { type Binary, type Check, FormatError, type GoFrame } from '../../../core/index.js';

/** An instruction of a check, or the one where execution goes on when the check holds. */
export interface CheckPlace {
  readonly check: Check;
  readonly part: 'own' | 'after';
  /** Frames at the check's jump or load, innermost first. */
  readonly frames: readonly GoFrame[];
}

/** Functions kept for one binary; a profile's leaf functions are some thousands at most. */
const MAX_FUNCTIONS = 8_192;

type FunctionChecks = ReadonlyMap<number, Omit<CheckPlace, 'frames'>> | { readonly error: FormatError };

export class CheckIndex {
  readonly #binaries = new WeakMap<Binary, Map<number, FunctionChecks>>();

  /**
   * The check at an object address; an instruction that is a check's own is not said to be after another one.
   * @throws FormatError when the function's tables are spoilt, each time anew
   */
  find(binary: Binary, objectAddress: number): CheckPlace | undefined {
    const functionIndex = binary.go?.find(objectAddress) ?? -1;
    if (functionIndex < 0) return undefined;
    const places = this.#placesOf(binary, functionIndex);
    if ('error' in places) throw places.error;
    const place = places.get(objectAddress);
    return place === undefined ? undefined : { ...place, frames: framesOf(binary, place.check) };
  }

  #placesOf(binary: Binary, functionIndex: number): FunctionChecks {
    let functions = this.#binaries.get(binary);
    if (functions === undefined) {
      functions = new Map();
      this.#binaries.set(binary, functions);
    }
    let places = functions.get(functionIndex);
    if (places === undefined) {
      if (functions.size >= MAX_FUNCTIONS) functions.delete(functions.keys().next().value!);
      places = readPlaces(binary, functionIndex);
      functions.set(functionIndex, places);
    }
    return places;
  }
}

function readPlaces(binary: Binary, functionIndex: number): FunctionChecks {
  try {
    const places = new Map<number, Omit<CheckPlace, 'frames'>>();
    const checks = findChecks(binary, functionIndex);
    for (const check of checks) {
      for (const { objectAddress } of checkInstructions(check)) {
        if (!places.has(objectAddress)) places.set(objectAddress, { check, part: 'own' });
      }
    }
    for (const check of checks) if (!places.has(check.next)) places.set(check.next, { check, part: 'after' });
    return places;
  } catch (error) {
    if (error instanceof FormatError) return { error };
    throw error;
  }
}

const framesOf = (binary: Binary, check: Check): GoFrame[] =>
  binary.go?.frames(check.kind === 'nilcheck' ? check.load : check.jump) ?? [];
