/**
 * What a module shows to those who import it, by the compiler's own words: TypeScript 7 tells programs of its syntax trees and symbols
 * through `typescript/unstable/sync`.
 */

import { isIdentifier, isVariableDeclaration } from 'typescript/unstable/ast/is';
import { API, SymbolFlags } from 'typescript/unstable/sync';

/** @typedef {{ name: string, text: string }} Declared a name, and its declarations without comments and without what is private */
/** @typedef {{ name: string, users: string[] }} Hidden a type, and the exports that mention it */

/**
 * @param root folder of the package; types declared elsewhere are not followed
 * @param modules .d.ts files
 * @returns {{ exported: Declared[], hidden: Hidden[] }[]} of each module what it exports, and the types of the package that those mention
 *   and no module exports; sorted by name
 */
export function readSurface(root, modules) {
  const compiler = new API({ cwd: root });
  try {
    const snapshot = compiler.updateSnapshot({ openFiles: [...modules] });
    const exported = modules.map((path) => exportsOf(snapshot.getDefaultProjectForFile(path), path));
    const isExported = new Set(exported.flat().flatMap(({ nodes }) => nodes.map(placeOf)));
    return exported.map((symbols, index) => {
      const project = snapshot.getDefaultProjectForFile(modules[index]);
      return {
        exported: symbols.map((symbol) => declared(project, symbol)).sort(byName),
        hidden: hiddenTypes(project, root, symbols, isExported),
      };
    });
  } finally {
    compiler.close();
  }
}

/** Under the names that importers use. */
function exportsOf(project, path) {
  const { checker, program } = project;
  const module = checker.getSymbolAtLocation(program.getSourceFile(path));
  if (module === undefined) throw new Error(`${path}: no module, or not there; run \`npm run build\``);
  return checker.getExportsOfModule(module).map((symbol) => resolved(project, symbol, symbol.name));
}

function resolved(project, symbol, name) {
  const target = symbol.flags & SymbolFlags.Alias ? project.checker.getAliasedSymbol(symbol) : symbol;
  return { name, nodes: target.declarations.map((handle) => handle.resolve(project)) };
}

/** Types that an editor shows to an importer, who cannot import them. */
function hiddenTypes(project, root, symbols, isExported) {
  const hidden = new Map();
  for (const { name: user, nodes } of symbols) {
    for (const name of nodes.flatMap(identifiers)) {
      const target = project.checker.getSymbolAtLocation(name);
      const [node] = target === undefined ? [] : resolved(project, target, name.text).nodes;
      if (node === undefined || !isTopLevel(node) || !isOwn(node, root) || isExported.has(placeOf(node))) continue;
      if (!hidden.has(placeOf(node))) hidden.set(placeOf(node), { name: name.text, users: new Set() });
      hidden.get(placeOf(node)).users.add(user);
    }
  }
  return [...hidden.values()].map(({ name, users }) => ({ name, users: [...users].sort() })).sort(byName);
}

function identifiers(node) {
  const names = [];
  const visit = (child) => {
    if (isIdentifier(child)) names.push(child);
    child.forEachChild(visit);
  };
  visit(node);
  return names;
}

const isOwn = (node, root) => node.getSourceFile().fileName.startsWith(`${root}/dist/`);

/** Neither a member nor a parameter. */
const isTopLevel = (node) => {
  const holder = isVariableDeclaration(node) ? node.parent.parent : node;
  return holder.parent === node.getSourceFile();
};

const placeOf = (node) => `${node.getSourceFile().fileName}:${node.pos}`;

function declared(project, { name, nodes }) {
  const texts = nodes.map((node) => {
    const text = project.emitter.printNode(node).replace(/^ {4}(#private|private .*|protected .*);\n/gm, '');
    return isVariableDeclaration(node) ? `export declare const ${text};` : text;
  });
  return { name, text: [...new Set(texts)].join('\n') };
}

const byName = (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
