/** Keys of labels: in the result their order is that of their bytes, not that of their rows. */
import { allocate } from '../memory';
import { LABEL_BYTES, Label } from './label-sets';
import { labels, strings } from './state';

/** Words, by string: 1 for those that are the key of a label, to be replaced by their place among the keys. */
export function labelKeys(): usize {
  const bytes = 4 * u32(strings.rows);
  const isKey = allocate(bytes);
  memory.fill(isKey, 0, bytes);
  for (let at = labels.data; at < labels.end; at += LABEL_BYTES) {
    store<i32>(isKey + 4 * u32(changetype<Label>(at).key), 1);
  }
  return isKey;
}
