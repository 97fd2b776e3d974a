/**
 * Names for people of names for linkers: C++ (Itanium ABI), Rust (legacy and v0), by a kernel that is made when the first mangled name comes.
 * Others (Go, Swift, D, plain C) stay as they are.
 */
import { DemangleKernel, NamePart } from '../../formats/demangle/kernel.js';
import { withoutGenerics } from '../../formats/demangle/simplify.js';

/** As google/pprof: parameters and template arguments; without parameters; without both; names as they are. */
export type DemangleMode = 'full' | 'templates' | 'simple' | 'none';

const UNDERSCORE = 0x5f;
/** Mach-O's names have a further underscore in front, which its readers take off. */
const CXX = /^_{1,4}Z/;
const RUST = /^_R[A-Z0-9]/;
const LEGACY_RUST = /17h[0-9a-f]{16}E(?:\.|$)/;
const MAX_KEPT = 1 << 16;

const PARTS = {
  full: NamePart.parameters | NamePart.templateArguments,
  templates: NamePart.templateArguments,
  simple: 0,
} as const;

let kernel: DemangleKernel | undefined;

/** @returns gives a name unchanged when it is not mangled, and always the same text for the same name */
export function createDemangler(mode: DemangleMode): (name: string) => string {
  if (mode === 'none') return (name) => name;
  const kept = new Map<string, string>();
  return (name) => {
    if (name.charCodeAt(0) !== UNDERSCORE) return name;
    let demangled = kept.get(name);
    if (demangled === undefined) {
      demangled = demangle(name, mode) ?? name;
      if (kept.size === MAX_KEPT) kept.clear();
      kept.set(name, demangled);
    }
    return demangled;
  };
}

/** @returns undefined for a name that nobody can read */
function demangle(name: string, mode: Exclude<DemangleMode, 'none'>): string | undefined {
  const isVersionZero = RUST.test(name);
  if (!isVersionZero && !CXX.test(name)) return undefined;
  kernel ??= new DemangleKernel();
  if (!isVersionZero && !LEGACY_RUST.test(name)) return kernel.cxx(name, PARTS[mode]);
  const full = isVersionZero ? kernel.rust(name) : kernel.legacyRust(name);
  return mode === 'simple' && full !== undefined ? withoutGenerics(full) : full;
}
