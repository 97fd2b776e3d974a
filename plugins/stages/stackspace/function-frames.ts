/** Frames of one binary's functions: each function's table is decoded once, however often it is on a stack. */
import type { Binary, GoTable, StackDeltas } from '../../../core/index.js';
import { bytesNeeded, type FrameLayout, frameLayout, injectedCalls } from './runtime-rules.js';
import { checksStack, PROLOGUE_BYTES } from './stack-check.js';

export interface Frame {
  /** Of the physical frame, the return address included where a call pushes one. */
  readonly bytes: number;
  /** See `bytesNeeded`. */
  readonly needed: number;
}

interface FunctionFrame {
  /** Undefined for a function without pcsp table. */
  readonly deltas: StackDeltas | undefined;
  readonly isChecked: boolean;
  /** Above the frame, beyond the return address. */
  readonly bytesBefore: number;
}

/** No frame of Go's compiler is larger: cmd/compile refuses functions whose frame takes 1 GiB. */
const LARGEST_FRAME = 2 ** 30;

export class FunctionFrames {
  readonly go: GoTable;
  readonly layout: FrameLayout;
  readonly #binary: Binary;
  readonly #functions = new Map<number, FunctionFrame>();
  #byName: Map<string, number[]> | undefined;

  /** @returns undefined for an architecture whose frames are not known */
  static of(binary: Binary, go: GoTable): FunctionFrames | undefined {
    const layout = frameLayout(binary.architecture);
    return layout && new FunctionFrames(binary, go, layout);
  }

  private constructor(binary: Binary, go: GoTable, layout: FrameLayout) {
    this.go = go;
    this.layout = layout;
    this.#binary = binary;
  }

  /**
   * The frame at an exact pc of a function: the call's for a caller.
   * @returns undefined where the function has no pcsp table or the pc lies in the padding behind it
   * @throws FormatError for a spoilt table
   */
  at(functionIndex: number, pc: number): Frame | undefined {
    const known = this.#function(functionIndex);
    if (known.deltas === undefined) return undefined;
    const { ends, deltas } = known.deltas;
    const offset = pc - this.go.entry(functionIndex);
    const range = ends.findIndex((end) => offset < end);
    return range < 0 ? undefined : this.#frame(deltas[range]!, known);
  }

  /** The frame at the function's calls: compiled code has all of it in place at each of them. */
  atCalls(functionIndex: number): Frame | undefined {
    const known = this.#function(functionIndex);
    return (
      known.deltas &&
      this.#frame(
        known.deltas.deltas.reduce((largest, delta) => Math.max(largest, delta), 0),
        known,
      )
    );
  }

  /** Functions of a name; in `[...]` all type arguments are the same, as Go prints them in tracebacks. */
  named(name: string): readonly number[] {
    if (this.#byName === undefined) {
      this.#byName = new Map();
      for (let index = 0; index < this.go.length; index++) {
        const key = withoutTypeArguments(this.go.name(index));
        const known = this.#byName.get(key);
        if (known === undefined) this.#byName.set(key, [index]);
        else known.push(index);
      }
    }
    return this.#byName.get(withoutTypeArguments(name)) ?? [];
  }

  /** Whether C code is linked in: runtime/cgo brings this function, for calls from C. */
  get usesCgo(): boolean {
    return this.named('crosscall2').length > 0;
  }

  #frame(stackDelta: number, { isChecked, bytesBefore }: FunctionFrame): Frame | undefined {
    if (stackDelta < 0 || stackDelta > LARGEST_FRAME) return undefined;
    return {
      bytes: bytesBefore + stackDelta + this.layout.returnAddressBytes,
      needed: bytesBefore + bytesNeeded(stackDelta, isChecked, this.layout),
    };
  }

  #function(index: number): FunctionFrame {
    let known = this.#functions.get(index);
    if (known === undefined) {
      const code = this.#binary.bytesAt(this.go.entry(index), PROLOGUE_BYTES);
      const ownCode = code.subarray(0, Math.max(0, this.go.end(index) - this.go.entry(index)));
      known = {
        deltas: this.go.stackDeltas(index),
        isChecked: checksStack(this.#binary.architecture, ownCode),
        bytesBefore: injectedCalls.has(this.go.name(index)) ? this.layout.injectedCallBytes : 0,
      };
      this.#functions.set(index, known);
    }
    return known;
  }
}

/** `main.f[go.shape.int].func1` and `main.f[...].func1` are one name: profiles and tracebacks differ in how much they print. */
export function withoutTypeArguments(name: string): string {
  const start = name.indexOf('[');
  const end = name.lastIndexOf(']');
  return start < 0 || end < start ? name : `${name.slice(0, start)}[...]${name.slice(end + 1)}`;
}
