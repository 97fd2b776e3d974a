/**
 * `import(…)` of what is no chunk, in a chunk: by the function that its loader gives it. Node 20 forgets how a script imports when V8 takes
 * the script's code back.
 */
import { parseAst } from 'rolldown/parseAst';

const KEYWORD = 'import';

/** Lines stay. @returns a plugin of Rolldown */
export function importsOfModules() {
  return {
    name: 'imports-of-modules',
    renderChunk(code) {
      if (!code.includes(`${KEYWORD}(`)) return null;
      const starts = startsOfImports(parseAst(code)).sort((a, b) => a - b);
      let end = 0;
      const pieces = starts.map((start) => {
        const piece = `${code.slice(end, start)}importModule`;
        end = start + KEYWORD.length;
        return piece;
      });
      return { code: pieces.join('') + code.slice(end), map: null };
    },
  };
}

function startsOfImports(program) {
  const starts = [];
  const nodes = [program];
  for (const node of nodes) {
    if (node.type === 'ImportExpression') starts.push(node.start);
    for (const child of Object.values(node)) {
      const children = Array.isArray(child) ? child : [child];
      nodes.push(...children.filter((value) => typeof value?.type === 'string'));
    }
  }
  return starts;
}
