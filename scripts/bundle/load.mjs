/**
 * Loads chunks of the program: goes to `dist/chunks/load.js`. A chunk is a CommonJS script, since those are what V8 can take back with
 * the code that it once made of them (keep-code.mjs): reading, parsing and compiling are two fifths of a short start.
 */
import { openSync, readFileSync, readSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

/** A line of JSON `{maker, chunks: [[path, bytes, sum], …]}`, then V8's code of each chunk, in that order. */
export const codeFile = new URL('code.bin', import.meta.url);
/** More than that line has. */
export const LINE_BYTES = 64 * 1024;
const BEFORE = '(function (exports, require, module, __filename, importModule) {"use strict";';
const AFTER = '\n})';

/** Of the chunks that are loaded, by path in this folder. */
export const scripts = new Map();
const loaded = new Map();
const requirePackage = createRequire(import.meta.url);
const importModule = (id) => import(id);
const keptCode = findCode();

/** @param path of a chunk in this folder @returns its exports, the same at each call */
export function load(path) {
  const known = loaded.get(path);
  if (known !== undefined) return known.exports;
  const url = new URL(path, import.meta.url);
  const file = fileURLToPath(url);
  const bytes = readFileSync(file);
  const script = new Script(`${BEFORE}${bytes.toString()}${AFTER}`, {
    // As a module would be named in a stack.
    filename: url.href,
    cachedData: codeOf(path, bytes),
  });
  scripts.set(path, script);
  const folder = posix.dirname(path);
  const require = (id) => (id.startsWith('.') ? load(posix.join(folder, id)) : requirePackage(id));
  const module = { exports: {} };
  loaded.set(path, module);
  script.runInThisContext()(module.exports, require, module, file, importModule);
  return module.exports;
}

/**
 * Whose code is of use: V8 looks at its own version and flags, but not at what else a Node of that version is made of; and where it takes
 * a script's code, Node 20 takes the script's name too, which stands in every stack.
 */
export function maker() {
  const { size, mtimeMs } = statSync(process.execPath);
  return [import.meta.url, process.version, process.arch, process.execPath, size, mtimeMs].join(' ');
}

/** Of a chunk's text and code: V8 runs whatever it is given, and takes any text of the right length for the one that the code is of. */
export const sum = (text, code) => crc32(code, crc32(text));

function codeOf(path, bytes) {
  const kept = keptCode.get(path);
  if (kept === undefined) return undefined;
  try {
    const code = readAt(kept.file, kept.start, kept.length);
    return sum(bytes, code) === kept.sum ? code : undefined;
  } catch {
    // A length that no file has, or a disk that fails.
    return undefined;
  }
}

/**
 * Where the code of each chunk is, by the chunk's path; the file stays open, since a start takes only some of it. Empty where none is
 * kept, or none that is of use here.
 */
function findCode() {
  const places = new Map();
  try {
    const file = openSync(codeFile);
    const head = readAt(file, 0, LINE_BYTES);
    const lineEnd = head.indexOf('\n');
    const kept = JSON.parse(head.toString('utf8', 0, lineEnd));
    if (kept.maker !== maker()) return places;
    let start = lineEnd + 1;
    for (const [path, length, sum] of kept.chunks) {
      places.set(path, { file, start, length, sum });
      start += length;
    }
  } catch {
    // Everything is compiled, as it is where there is no such file.
  }
  return places;
}

/** @returns as many bytes of the file as there are, up to `length` */
function readAt(file, start, length) {
  const bytes = Buffer.allocUnsafeSlow(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, start));
}
