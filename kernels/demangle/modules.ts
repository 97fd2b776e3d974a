/** Source: Itanium C++ ABI, "Mangling", module-name. */
import { take } from './cursor';
import { P, W } from './letters';
import { addToList, beginList, endList } from './nodes';
import { remember } from './substitutions';
import { readIdentifier } from './tags';

/** @returns a list of identifiers, where detail of a partition's is 1 */
export function readModules(): usize {
  const start = beginList();
  while (take(W)) {
    const isPartition = take(P);
    const part = remember(readIdentifier());
    part.detail = u32(isPartition);
    addToList(part);
  }
  return endList(start);
}
