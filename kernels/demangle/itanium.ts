/** C++ names. Source: Itanium C++ ABI, "Mangling", mangled-name. */
import { beginReading, expect, fail, hasFailed, isDigit, peek, place, skip, take } from './cursor';
import { readEncoding } from './encodings';
import { SPECIAL } from './kinds';
import { DOT, UNDERSCORE, Z } from './letters';
import { asField, beginNodes, makeNode, Node } from './nodes';
import { isTooLong } from './output';
import { beginPacks } from './packs';
import { beginPrinting, print } from './print';
import { forgetFrom } from './substitutions';
import { beginParameters } from './template-arguments';
import { chooseWay, isAmbiguous } from './unresolved-names';

const BLOCK = '_block_invoke';

/** Writes what a name means. @param parts of parts.ts @returns whether it could */
export function demangleItanium(start: usize, end: usize, parts: u32): bool {
  let encoding = readMangled(start, end, false);
  if (hasFailed && isAmbiguous) encoding = readMangled(start, end, true);
  if (hasFailed) return false;
  beginPacks();
  beginPrinting(parts);
  print(encoding);
  return !isTooLong;
}

function readMangled(start: usize, end: usize, isClangs: bool): Node {
  beginReading(start, end);
  beginNodes();
  forgetFrom(0);
  beginParameters();
  chooseWay(isClangs);
  let underscores = 0;
  while (take(UNDERSCORE)) underscores++;
  expect(Z);
  let encoding = readEncoding();
  if (underscores > 2) {
    skipBlockNumber();
    encoding = makeNode(SPECIAL, changetype<usize>('invocation function for block in '), asField(encoding));
  }
  // Behind a dot comes what the compiler made a copy of the function for.
  if (place < end && peek() !== DOT) fail();
  return encoding;
}

/** Of a block of a function's: `_block_invoke`, `_block_invoke_2`. */
function skipBlockNumber(): void {
  for (let at = 0; at < BLOCK.length; at++) expect(BLOCK.charCodeAt(at));
  take(UNDERSCORE);
  while (isDigit(peek())) skip(1);
}
