/** kernels/demangle: names for people of names for linkers. An instance is for all names of a thread. */
import { defineKernel, type KernelExports } from '../kernel.js';
import { demangleKernel } from './kernel.gen.js';

/** What kernels/demangle/index.ts exports. The name is at `input`; what comes back is how many bytes are at `output`, 0 for none. */
interface DemangleExports extends KernelExports {
  prepare(): void;
  input(): number;
  output(): number;
  demangleCxx(bytes: number, parts: number): number;
  demangleRust(bytes: number): number;
  demangleLegacyRust(bytes: number): number;
}

/** Bits of what is written of a C++ name: see kernels/demangle/parts.ts. */
export const NamePart = { parameters: 1, templateArguments: 2, returnTypes: 4 } as const;

/** Bytes of UTF-8. Source: kernels/demangle/limits.ts. */
const MAX_BYTES = 1 << 15;

const newExports = defineKernel<DemangleExports>('demangle', demangleKernel);

/** Each answer is undefined for a name that is not of the scheme, or would be too long. */
export class DemangleKernel {
  readonly #exports = newExports();
  readonly #input: number;
  readonly #output: number;
  readonly #memory: Buffer;

  constructor() {
    this.#exports.prepare();
    this.#input = this.#exports.input();
    this.#output = this.#exports.output();
    this.#memory = Buffer.from(this.#exports.memory.buffer);
  }

  /** @param parts bits of `NamePart` */
  cxx(name: string, parts: number): string | undefined {
    return this.#text(this.#exports.demangleCxx(this.#put(name), parts));
  }

  /** The scheme v0. */
  rust(name: string): string | undefined {
    return this.#text(this.#exports.demangleRust(this.#put(name)));
  }

  legacyRust(name: string): string | undefined {
    return this.#text(this.#exports.demangleLegacyRust(this.#put(name)));
  }

  /** @returns its bytes, 0 for too many */
  #put(name: string): number {
    // A character may take three bytes.
    if (name.length > MAX_BYTES / 3 && Buffer.byteLength(name) > MAX_BYTES) return 0;
    return this.#memory.write(name, this.#input, MAX_BYTES, 'utf8');
  }

  #text(bytes: number): string | undefined {
    return bytes === 0 ? undefined : this.#memory.toString('utf8', this.#output, this.#output + bytes);
  }
}
