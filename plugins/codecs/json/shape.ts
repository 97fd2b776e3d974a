/**
 * Values of parsed JSON, read as what they must be. Every error names the place as a path: `samples[3].values[0]`.
 * What JSON.parse made is only looked at by its own properties, so that a key such as `__proto__` is a key like any other.
 */
import { FormatError } from '../../../core/index.js';

/** A JSON value and where it stands; the path is only put together when an error asks for it. */
export class JsonValue {
  readonly value: unknown;
  readonly #parent: JsonValue | undefined;
  readonly #step: string;

  /** @param step from the parent to here: ".samples" or "[3]" */
  constructor(value: unknown, parent?: JsonValue, step = '') {
    this.value = value;
    this.#parent = parent;
    this.#step = step;
  }

  get path(): string {
    const path = `${this.#parent?.path ?? ''}${this.#step}`;
    return path.startsWith('.') ? path.slice(1) : path;
  }

  fail(message: string): never {
    throw new FormatError('E_JSON', message, { section: this.path || 'top level', ...gotOf(this.value) });
  }

  /** @throws FormatError E_JSON for a key that is not among `keys` */
  object<Key extends string>(keys: readonly Key[]): JsonObject<Key> {
    const { value } = this;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) this.fail('object wanted');
    for (const key of Object.keys(value)) {
      if (!keys.includes(key as Key)) {
        throw new FormatError('E_JSON', 'unknown key', { section: this.path || 'top level', got: key.slice(0, 80) });
      }
    }
    return new JsonObject<Key>(value as { readonly [key: string]: unknown }, this);
  }

  array(): readonly unknown[] {
    return Array.isArray(this.value) ? this.value : this.fail('list wanted');
  }

  /** Entries of a list. */
  *items(): Generator<JsonValue, void, undefined> {
    const list = this.array();
    for (let index = 0; index < list.length; index++) yield new JsonValue(list[index], this, `[${index}]`);
  }

  /** A list of indexes below `length`: no object is made for a good one, since stacks are most of a profile. */
  indexes(length: number): readonly number[] {
    const list = this.array();
    for (let at = 0; at < list.length; at++) {
      const entry = list[at];
      const good = typeof entry === 'number' && Number.isInteger(entry) && entry >= 0 && entry < length;
      if (!good) new JsonValue(entry, this, `[${at}]`).index(length);
    }
    return list as readonly number[];
  }

  text(): string {
    return typeof this.value === 'string' ? this.value : this.fail('string wanted');
  }

  /** Absent and false are the same. */
  flag(): boolean {
    return typeof this.value === 'boolean' ? this.value : this.fail('true or false wanted');
  }

  /** An index below `length`. */
  index(length: number): number {
    const { value } = this;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) this.fail('index wanted');
    if (value >= length) {
      throw new FormatError('E_JSON', 'index outside of its table', { section: this.path, got: value, limit: length });
    }
    return value;
  }

  int64(): bigint {
    const value = this.#integer();
    return BigInt.asIntN(64, value) === value ? value : this.fail('does not fit 64 bits');
  }

  uint64(): bigint {
    const value = this.#integer();
    return BigInt.asUintN(64, value) === value ? value : this.fail('does not fit 64 bits, unsigned');
  }

  /** Hexadecimal, as "0x401000". */
  address(): bigint {
    const { value } = this;
    if (typeof value === 'string' && /^0x[0-9a-f]{1,16}$/i.test(value)) return BigInt(value);
    return this.fail('address wanted, as "0x401000"');
  }

  #integer(): bigint {
    const { value } = this;
    if (typeof value === 'string' && /^-?[0-9]{1,20}$/.test(value)) return BigInt(value);
    if (typeof value !== 'number') this.fail('integer wanted');
    if (!Number.isInteger(value)) this.fail('integer wanted');
    // JSON.parse has rounded it already: what it was is not known any more.
    if (!Number.isSafeInteger(value)) this.fail('integer beyond 2^53 must be a string');
    return BigInt(value);
  }
}

export class JsonObject<Key extends string> {
  readonly #properties: { readonly [key: string]: unknown };
  readonly #origin: JsonValue;

  constructor(properties: { readonly [key: string]: unknown }, origin: JsonValue) {
    this.#properties = properties;
    this.#origin = origin;
  }

  has(key: Key): boolean {
    return Object.hasOwn(this.#properties, key);
  }

  /** @throws FormatError E_JSON when there is none */
  get(key: Key): JsonValue {
    if (this.has(key)) return new JsonValue(this.#properties[key], this.#origin, `.${key}`);
    throw new FormatError('E_JSON', `no "${key}"`, { section: this.#origin.path || 'top level' });
  }

  /** What `read` makes of the value; undefined when there is none. */
  optional<Value>(key: Key, read: (value: JsonValue) => Value): Value | undefined {
    return this.has(key) ? read(this.get(key)) : undefined;
  }
}

function gotOf(value: unknown): { got?: string | number } {
  if (typeof value === 'number') return { got: value };
  if (typeof value === 'string') return { got: value.slice(0, 80) };
  if (value === null || value === undefined || typeof value === 'boolean') return { got: String(value) };
  return { got: Array.isArray(value) ? 'a list' : 'an object' };
}
