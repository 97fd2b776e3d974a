/**
 * JavaScript's own objects, as they were: a plugin that changes Array.prototype.map for itself changes it for everybody in its thread.
 * Looked at after each call of a third party's plugin, so it costs 30 µs: values are compared, descriptors only where there is a getter.
 * What is used here was taken before any plugin was loaded.
 */
const { getOwnPropertyDescriptor, getPrototypeOf, ownKeys, defineProperty, setPrototypeOf, deleteProperty } = Reflect;

interface Property {
  readonly key: PropertyKey;
  readonly descriptor: PropertyDescriptor;
}

/** An object with what it held when this module was loaded. */
interface Kept {
  readonly name: string;
  readonly object: object;
  readonly prototype: object | null;
  readonly values: readonly Property[];
  readonly accessors: readonly Property[];
}

const names = [
  'Object Function Array String Number Boolean Symbol BigInt Promise Map Set WeakMap WeakSet WeakRef Error TypeError RangeError',
  'SyntaxError RegExp Date ArrayBuffer SharedArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array',
  'Int32Array Uint32Array BigInt64Array BigUint64Array Float32Array Float64Array Math JSON Reflect Atomics Buffer TextDecoder',
  'TextEncoder AbortController AbortSignal',
]
  .join(' ')
  .split(' ');

const kept: readonly Kept[] = [
  ...names.flatMap((name) => {
    const object = (globalThis as unknown as Record<string, object & { prototype?: object }>)[name]!;
    return object.prototype === undefined
      ? [keep(name, object)]
      : [keep(name, object), keep(`${name}.prototype`, object.prototype)];
  }),
  keep('TypedArray.prototype', getPrototypeOf(Uint8Array.prototype)!),
  keep('Iterator.prototype', getPrototypeOf(getPrototypeOf([].values())!)!),
  keep('ArrayIterator.prototype', getPrototypeOf([].values())!),
];
/** The globals themselves: `globalThis.Map = …`. */
const globals: readonly { readonly name: string; readonly value: unknown }[] = [
  ...names,
  'setTimeout',
  'structuredClone',
  'queueMicrotask',
].map((name) => ({ name, value: (globalThis as Record<string, unknown>)[name] }));

function keep(name: string, object: object): Kept {
  const properties = ownKeys(object).map((key) => ({ key, descriptor: getOwnPropertyDescriptor(object, key)! }));
  return {
    name,
    object,
    prototype: getPrototypeOf(object),
    values: properties.filter(({ descriptor }) => 'value' in descriptor && isCompared(descriptor.value)),
    accessors: properties.filter(({ descriptor }) => !('value' in descriptor)),
  };
}

/** Numbers such as `length` or `stackTraceLimit` may differ: nothing stands on them. */
function isCompared(value: unknown): boolean {
  return typeof value === 'function' || typeof value === 'object';
}

/**
 * Puts back what was changed.
 * @returns the first thing that was: "Array.prototype.map"; undefined when all is as it was
 */
export function restoreIntrinsics(): string | undefined {
  let changed: string | undefined;
  for (let index = 0; index < kept.length; index++) {
    const { name, object, prototype, values, accessors } = kept[index]!;
    if (getPrototypeOf(object) !== prototype) {
      setPrototypeOf(object, prototype);
      changed ??= `the prototype of ${name}`;
    }
    for (let at = 0; at < values.length; at++) {
      const { key, descriptor } = values[at]!;
      if ((object as Record<PropertyKey, unknown>)[key] === descriptor.value) continue;
      defineProperty(object, key, descriptor);
      changed ??= memberName(name, key);
    }
    for (let at = 0; at < accessors.length; at++) {
      const { key, descriptor } = accessors[at]!;
      const now = getOwnPropertyDescriptor(object, key);
      if (now !== undefined && now.get === descriptor.get && now.set === descriptor.set) continue;
      defineProperty(object, key, descriptor);
      changed ??= memberName(name, key);
    }
  }
  for (let index = 0; index < globals.length; index++) {
    const { name, value } = globals[index]!;
    if ((globalThis as Record<string, unknown>)[name] === value) continue;
    defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });
    changed ??= name;
  }
  return changed ?? removeAdded();
}

/** What was added so that `for … in` meets it in every object or list. */
function removeAdded(): string | undefined {
  let added: string | undefined;
  for (const key in []) {
    const isOfLists = deleteProperty(Array.prototype, key) && !(key in Object.prototype);
    if (!isOfLists) deleteProperty(Object.prototype, key);
    added ??= memberName(isOfLists ? 'Array.prototype' : 'Object.prototype', key);
  }
  return added;
}

function memberName(object: string, key: PropertyKey): string {
  return typeof key === 'symbol' ? `${object}[${String(key)}]` : `${object}.${String(key)}`;
}
