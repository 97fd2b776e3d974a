/**
 * Names for people of names for linkers: C++ (Itanium ABI), Rust (legacy and v0), by the package gecko-profiler-demangle, whose
 * WebAssembly is compiled when the first mangled name comes. Others (Go, Swift, D, plain C) stay as they are.
 */
import { simplifyCxx, simplifyRust } from '../../formats/demangle/simplify.js';
import { usualSpelling } from '../../formats/demangle/spelling.js';
import { loadDemangler } from './demangle-library.js';

/** As google/pprof: parameters and template arguments; without parameters; without both; names as they are. */
export type DemangleMode = 'full' | 'templates' | 'simple' | 'none';

const UNDERSCORE = 0x5f;
/** Mach-O's names have a further underscore in front, which its readers take off. */
const CXX = /^_{1,4}Z/;
const RUST = /^_R[A-Z0-9]|17h[0-9a-f]{16}E(?:\.|$)/;
/** Longer names take a demangler's recursion and time; they stay mangled. */
const MAX_LENGTH = 1 << 15;
const MAX_KEPT = 1 << 16;

let library: ((name: string) => string) | undefined;
/** Names that it may run out of memory at, each of which takes time; then names stay mangled. */
let trapsLeft = 16;

/** @returns gives a name unchanged when it is not mangled, and always the same text for the same name */
export function createDemangler(mode: DemangleMode): (name: string) => string {
  if (mode === 'none') return (name) => name;
  const kept = new Map<string, string>();
  return (name) => {
    if (name.charCodeAt(0) !== UNDERSCORE) return name;
    let demangled = kept.get(name);
    if (demangled === undefined) {
      demangled = demangle(name, mode);
      if (kept.size === MAX_KEPT) kept.clear();
      kept.set(name, demangled);
    }
    return demangled;
  };
}

function demangle(name: string, mode: Exclude<DemangleMode, 'none'>): string {
  const isRust = RUST.test(name);
  if ((!isRust && !CXX.test(name)) || name.length > MAX_LENGTH) return name;
  const full = askLibrary(name);
  if (full === undefined) return name;
  if (isRust) return mode === 'simple' ? simplifyRust(full, 'parameters and templates') : full;
  const usual = usualSpelling(full);
  if (mode === 'full') return usual;
  return simplifyCxx(usual, mode === 'templates' ? 'parameters' : 'parameters and templates');
}

/** @returns undefined for a name that it cannot read */
function askLibrary(name: string): string | undefined {
  if (trapsLeft === 0) return undefined;
  library ??= loadDemangler();
  try {
    const demangled = library(name);
    // It takes an underscore off names that it then cannot read.
    return demangled === name || demangled === name.slice(1) ? undefined : demangled;
  } catch {
    // A trap leaves its memory in a state that nobody knows.
    library = undefined;
    trapsLeft--;
    return undefined;
  }
}
