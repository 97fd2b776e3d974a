/** `import.meta.url` in a chunk: the address of the module that the code was written in, not of the chunk. */
import { posix, relative, sep } from 'node:path';

/** Stands before a module's path until it is known which folder the chunk is in. */
const MARK = '@module/';

/** Source maps keep their lines: only columns behind the address shift. @param root folder of the sources @returns a plugin of Rolldown */
export function moduleUrls(root) {
  return {
    name: 'module-urls',
    transform: {
      filter: { id: { exclude: /node_modules/ }, code: 'import.meta.url' },
      handler(code, id) {
        const module = relative(root, id).split(sep).join('/').replace(/\.ts$/, '.js');
        const url = `new URL('${MARK}${module}', import.meta.url).href`;
        return { code: code.replaceAll('import.meta.url', url), map: null };
      },
    },
    renderChunk(code, { fileName }) {
      if (!code.includes(MARK)) return null;
      const inPlace = (_, module) => posix.relative(posix.dirname(fileName), module);
      return { code: code.replaceAll(/@module\/([^"'`]+)/g, inPlace), map: null };
    },
  };
}
