/** What an input is called in output paths. */

const ENDINGS = /\.(pb|gz|zst|pprof|prof|profile|out|data|json|folded|txt)$/i;

/** Base name without the endings that say its format: `a/cpu.pb.gz` → `cpu`. Never empty. */
export function itemName(path: string): string {
  const base = path.slice(path.lastIndexOf('/') + 1);
  let name = base;
  while (ENDINGS.test(name) && name.replace(ENDINGS, '') !== '') name = name.replace(ENDINGS, '');
  return name === '' ? 'item' : name;
}
