/**
 * The package gecko-profiler-demangle, called at its WebAssembly: its own entry imports that as a module, which Node 20 cannot.
 * Of wasm-bindgen's conventions one is needed: a string is passed as address and length in the instance's memory, both ways.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { withMemoryLimit } from '../../formats/demangle/wasm-memory.js';

/** Of JavaScript's own API, what is used here: the types of Node 20 have none of it. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
};

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly __wbindgen_malloc: (bytes: number, align: number) => number;
  readonly __wbindgen_free: (address: number, bytes: number, align: number) => void;
  /** Takes the memory of its argument over; that of its result is the caller's. */
  readonly demangle_any: (address: number, bytes: number) => readonly [address: number, bytes: number];
}

/** Of 64 KiB, beyond what it starts with. A mangled name of 200 bytes may stand for one of 100 MB: so that ends early. */
const FURTHER_PAGES = 48;

/** A new instance. @returns gives the name itself back when no scheme is known for it @throws WebAssembly.RuntimeError when it runs out of memory: it is of no use then */
export function loadDemangler(): (name: string) => string {
  const path = createRequire(import.meta.url).resolve('gecko-profiler-demangle/index_bg.wasm');
  // It wants to prepare a table of JavaScript's values, which strings do not need.
  const imports = { './index_bg.js': { __wbindgen_init_externref_table: () => {} } };
  const code = withMemoryLimit(readFileSync(path), FURTHER_PAGES);
  const instance = new WebAssembly.Instance(compileQuickly(code), imports);
  const wasm = instance.exports as Exports;
  let memory = Buffer.from(wasm.memory.buffer);
  const currentMemory = () => {
    if (memory.buffer !== wasm.memory.buffer) memory = Buffer.from(wasm.memory.buffer);
    return memory;
  };
  return (name) => {
    const bytes = Buffer.byteLength(name);
    const argument = wasm.__wbindgen_malloc(bytes, 1) >>> 0;
    currentMemory().write(name, argument, bytes);
    const [result, length] = wasm.demangle_any(argument, bytes);
    const address = result >>> 0;
    const demangled = currentMemory().toString('utf8', address, address + length);
    wasm.__wbindgen_free(address, length, 1);
    return demangled;
  };
}

/**
 * Without V8's optimizing compiler, which works longer on the demangler than that saves before 100,000 names are demangled: 7,000 names of
 * a C++ library take 0.11 s of processor, with it 0.26 s, and 0.065 s from the second time on. Node 20 and 22 heed these flags when a module
 * is compiled, later ones do not. Without the first one the second would have everything optimized at once.
 */
function compileQuickly(code: Uint8Array): object {
  setFlagsFromString('--no-wasm-tier-up');
  setFlagsFromString('--no-wasm-dynamic-tiering');
  try {
    return new WebAssembly.Module(code);
  } finally {
    setFlagsFromString('--wasm-dynamic-tiering');
  }
}
