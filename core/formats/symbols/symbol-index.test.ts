import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ObjectSymbol } from './symbol.js';
import { SymbolColumns } from './symbol-columns.js';
import type { SymbolIndex } from './symbol-index.js';

interface Spec extends Partial<ObjectSymbol> {
  readonly name: string;
  readonly objectAddress: number;
}

const SECTION_END = 0x1000;

function indexOf(symbols: readonly Spec[], sectionEnd = SECTION_END): SymbolIndex {
  const columns = new SymbolColumns(symbols.length);
  symbols.forEach(({ objectAddress, size = 0, binding = 'global', type = 'function' }, row) => {
    columns.add(row, { objectAddress, size, binding, type }, sectionEnd);
  });
  return columns.index();
}

/** Names at addresses, "-" outside of every symbol. */
function namesAt(symbols: readonly Spec[], ...addresses: number[]): string {
  const index = indexOf(symbols);
  return addresses.map((address) => symbols[index.find(address) ?? -1]?.name ?? '-').join(' ');
}

test('a symbol holds its size and nothing more: there is no nearest name', () => {
  const symbols = [
    { name: 'b', objectAddress: 0x30, size: 0x10 },
    { name: 'a', objectAddress: 0x10, size: 0x10 },
  ];
  assert.equal(namesAt(symbols, 0, 0xf, 0x10, 0x1f, 0x20, 0x2f, 0x30, 0x3f, 0x40), '- - a a - - b b -');
});

test('one without a size ends at the next symbol or at the end of its section', () => {
  const symbols = [
    { name: 'start', objectAddress: 0x10 },
    { name: 'next', objectAddress: 0x20, size: 4 },
    { name: 'last', objectAddress: 0xff0 },
  ];
  assert.equal(namesAt(symbols, 0x10, 0x1f, 0x20, 0x24, 0xfff, 0x1000), 'start start next - last -');
});

test('a label within a function is not the end of the function', () => {
  const symbols = [
    { name: 'function', objectAddress: 0x10, size: 0x20 },
    { name: 'sameStart', objectAddress: 0x10 },
    { name: 'label', objectAddress: 0x18, type: 'untyped' as const },
    { name: 'behind', objectAddress: 0x30, type: 'untyped' as const },
  ];
  assert.equal(namesAt(symbols, 0x10, 0x17, 0x18, 0x2f, 0x30), 'function function function function behind');
});

test('of nested and overlapping ones that which begins last wins, and the outer one goes on behind it', () => {
  const symbols = [
    { name: 'outer', objectAddress: 0x10, size: 0x40 },
    { name: 'inner', objectAddress: 0x20, size: 0x10 },
    { name: 'over', objectAddress: 0x48, size: 0x10 },
    { name: 'short', objectAddress: 0x10, size: 0x8 },
  ];
  assert.equal(namesAt(symbols, 0x10, 0x18, 0x20, 0x30, 0x48, 0x50, 0x58), 'short outer inner outer over over -');
});

test('of aliases a function comes before a label, global and weak before local, then the last of the file', () => {
  const at = { objectAddress: 0x10, size: 8 };
  const label: Spec = { ...at, name: 'label', type: 'untyped' };
  const local: Spec = { ...at, name: 'local', binding: 'local' };
  const weak: Spec = { ...at, name: 'weak', binding: 'weak' };
  const global: Spec = { ...at, name: 'global' };
  const second: Spec = { ...at, name: 'second' };
  assert.equal(namesAt([label, local], 0x10), 'local');
  assert.equal(namesAt([label, local, weak], 0x10), 'weak');
  assert.equal(namesAt([label, local, weak, global, second], 0x10), 'second');
  assert.equal(namesAt([global, second, weak, local, label], 0x10), 'weak');
});

test('what lies outside of its section is left out, what goes over its end is cut', () => {
  const symbols = [
    { name: 'before', objectAddress: -8, size: 0x10 },
    { name: 'over', objectAddress: 0xff8, size: 2 ** 60 },
    { name: 'behind', objectAddress: 0x1000, size: 8 },
  ];
  assert.equal(namesAt(symbols, 0, 0xff8, 0xfff, 0x1000), '- over over -');
  assert.equal(indexOf([]).find(0), undefined);
});

test('addresses above 2^32 are sorted as the others', () => {
  const symbols = [
    { name: 'high', objectAddress: 2 ** 48 + 1, size: 2 },
    { name: 'low', objectAddress: 5, size: 2 },
    { name: 'middle', objectAddress: 2 ** 32 + 5, size: 2 },
  ];
  const index = indexOf(symbols, 2 ** 50);
  const rows = [5, 2 ** 32 + 6, 2 ** 48 + 2, 2 ** 48].map((address) => index.find(address));
  assert.deepEqual(rows, [1, 2, 0, undefined]);
  assert.equal(index.length, 3);
});

test('any set of sized symbols answers as looking through all of them does', () => {
  const symbol = fc.record({ name: fc.constant(''), objectAddress: fc.nat(60), size: fc.integer({ min: 1, max: 30 }) });
  fc.assert(
    fc.property(fc.array(symbol, { maxLength: 30 }), (symbols) => {
      const index = indexOf(symbols);
      for (let address = 0; address < 96; address++) {
        const holding = symbols.filter((s) => address >= s.objectAddress && address < s.objectAddress + s.size);
        const best = holding.sort((a, b) => b.objectAddress - a.objectAddress || a.size - b.size)[0];
        const found = index.find(address);
        const got = found === undefined ? undefined : symbols[found];
        assert.deepEqual([got?.objectAddress, got?.size], [best?.objectAddress, best?.size], `at ${address}`);
      }
    }),
    { numRuns: 300 },
  );
});

/** What the rules give for one address, by looking through all symbols. */
function rowByRules(symbols: readonly Required<Spec>[], sectionEnd: number, address: number): number | undefined {
  const rows = [...symbols.keys()].reverse();
  const endOf = ({ objectAddress, size }: Spec) => Math.min(objectAddress + size!, sectionEnd);
  const rank = ({ binding, type }: Spec) => (binding === 'local' ? 1 : 0) + (type === 'untyped' ? 2 : 0);
  const best = (candidates: readonly number[]) =>
    [...candidates].sort((a, b) => {
      const [one, two] = [symbols[a]!, symbols[b]!];
      return two.objectAddress - one.objectAddress || endOf(one) - endOf(two) || rank(one) - rank(two);
    })[0];
  const sizedAt = (at: number) =>
    rows.filter((row) => symbols[row]!.size > 0 && symbols[row]!.objectAddress <= at && at < endOf(symbols[row]!));
  const sized = best(sizedAt(address));
  if (sized !== undefined || address >= sectionEnd) return sized;
  const lastStart = Math.max(...symbols.map((s) => s.objectAddress).filter((start) => start <= address));
  if (sizedAt(lastStart).length > 0) return undefined;
  return best(rows.filter((row) => symbols[row]!.objectAddress === lastStart && symbols[row]!.size === 0));
}

test('any set of symbols answers by the rules, whatever their sizes, bindings and types', () => {
  const symbol = fc.record({
    name: fc.constant(''),
    objectAddress: fc.nat(40),
    size: fc.nat(12),
    binding: fc.constantFrom('local' as const, 'global' as const),
    type: fc.constantFrom('function' as const, 'untyped' as const),
    file: fc.constant(''),
  });
  fc.assert(
    fc.property(fc.array(symbol, { minLength: 1, maxLength: 15 }), fc.nat(63), (symbols, first) => {
      const index = indexOf(symbols, 56);
      // The first questions are answered by looking through all, the others by ranges.
      for (let asked = 0; asked < 64; asked++) {
        const address = (first + asked) % 64;
        assert.equal(index.find(address), rowByRules(symbols, 56, address), `at ${address}`);
      }
    }),
    { numRuns: 1000 },
  );
});
