/** Texts of a profile's strings, each decoded once. */
import { type Profile, type StringTable, stringAt } from '../profile.js';

export function textsOf(strings: StringTable): (row: number) => string {
  const texts: (string | undefined)[] = new Array(strings.length);
  return (row) => {
    let text = texts[row];
    if (text === undefined) {
      text = stringAt(strings, row);
      texts[row] = text;
    }
    return text;
  };
}

/** What a function is called and where it is, for those who judge functions by it. */
export interface FunctionInfo {
  /** In the table of functions. */
  readonly row: number;
  readonly name: string;
  readonly systemName: string;
  readonly filename: string;
}

/** One after the other. */
export function forEachFunction({ functions, strings }: Profile, visit: (info: FunctionInfo) => void): void {
  const text = textsOf(strings);
  for (let row = 0; row < functions.length; row++) {
    const name = text(functions.name[row]!);
    visit({ row, name, systemName: text(functions.systemName[row]!), filename: text(functions.filename[row]!) });
  }
}

/**
 * Functions that a test picks, by row, 1 = picked: for `SampleView.calls`.
 * @param test a name that must be the function's, an expression that must match it, or a test of your own
 */
export function findFunctions(profile: Profile, test: string | RegExp | ((info: FunctionInfo) => boolean)): Uint8Array {
  const picked = new Uint8Array(profile.functions.length);
  const passes = typeof test === 'function' ? test : ({ name }: FunctionInfo) => matches(test, name);
  forEachFunction(profile, (info) => {
    picked[info.row] = passes(info) ? 1 : 0;
  });
  return picked;
}

/** `search` instead of `test`: an expression with the flag g remembers where it was. */
const matches = (test: string | RegExp, name: string) =>
  typeof test === 'string' ? name === test : name.search(test) >= 0;
