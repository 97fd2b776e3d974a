/** WebAssembly kernels: see kernels/README.md. */
import { FormatError } from './errors.js';

/** Neither TypeScript's library without a browser nor Node's types have it. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
};

/** What every kernel exports besides its own functions. */
export interface KernelExports {
  /** Its buffer is another one whenever the memory has grown: in any call that allocates. */
  readonly memory: { readonly buffer: ArrayBuffer };
}

/**
 * @param code what `npm run gen:kernels` wrote: the module in base64
 * @returns makes an instance, with memory of its own, and gives it what its NAME/imports.ts declares; the module is compiled when the
 *   first one is made. Any call may throw FormatError E_LIMIT, when the memory would exceed 4 GiB or what the machine gives.
 */
export function defineKernel<Exports extends KernelExports>(name: string, code: string): (imports?: object) => Exports {
  const outOfMemory = (bytes: number) => {
    const place = { section: 'Profile', got: bytes, limit: 2 ** 32 };
    throw new FormatError('E_LIMIT', `more memory than the ${name} kernel can have`, place);
  };
  let module: object | undefined;
  return (imports = {}) => {
    module ??= new WebAssembly.Module(Buffer.from(code, 'base64'));
    const { exports } = new WebAssembly.Instance(module, { memory: { outOfMemory }, imports });
    return exports as Exports;
  };
}
