/** Paths of a container, whose root is a folder of this machine. */
import { readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** As many as Linux follows. */
const MAX_LINKS = 40;

/**
 * The file that a path means to those whose root the folder is: links are followed within it, as chroot(2) would.
 * @param path absolute @returns a path that may not exist
 */
export function pathBeneath(root: string, path: string): string {
  const rest = path.split('/').reverse();
  let inside = '/';
  for (let links = 0; rest.length > 0; ) {
    const name = rest.pop()!;
    // join takes "..", of which the root has none.
    const next = join(inside, name);
    const target = name === '' || links > MAX_LINKS ? undefined : linkTarget(join(root, next));
    if (target === undefined) {
      inside = next;
      continue;
    }
    links++;
    if (target.startsWith('/')) inside = '/';
    rest.push(...target.split('/').reverse());
  }
  return join(root, inside);
}

/** @returns undefined for what is no link */
function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
