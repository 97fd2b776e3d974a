import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDemangler, type DemangleMode } from './demangle.js';

const [full, templates, simple, none] = (['full', 'templates', 'simple', 'none'] as DemangleMode[]).map(
  createDemangler,
);

test('C++ in each of the modes', () => {
  const cases: readonly (readonly [mangled: string, full: string, templates: string, simple: string])[] = [
    ['_Z1fv', 'f()', 'f', 'f'],
    ['_ZNK1a1bIiE1cEPKc', 'a::b<int>::c(char const*) const', 'a::b<int>::c', 'a::b::c'],
    [
      '_ZN12_GLOBAL__N_11fEv.part.0',
      '(anonymous namespace)::f()',
      '(anonymous namespace)::f',
      '(anonymous namespace)::f',
    ],
    ['_ZlsRSoRK1aIiE', 'operator<<(std::ostream&, a<int> const&)', 'operator<<', 'operator<<'],
    ['_ZN1aIiEclEv', 'a<int>::operator()()', 'a<int>::operator()', 'a::operator()'],
    ['_ZN1aIiEltEv', 'a<int>::operator<()', 'a<int>::operator<', 'a::operator<'],
    [
      '_ZZ1fiENKUlvE_clEv',
      'f(int)::{lambda()#1}::operator()() const',
      'f::{lambda()#1}::operator()',
      'f::{lambda()#1}::operator()',
    ],
    ['_ZN1aILm16EE1bB5cxx11Ev', 'a<16ul>::b[abi:cxx11]()', 'a<16ul>::b[abi:cxx11]', 'a::b[abi:cxx11]'],
    ['__ZN1a1bEv', 'a::b()', 'a::b', 'a::b'],
  ];
  for (const [mangled, ...expected] of cases) {
    assert.deepEqual([full!(mangled), templates!(mangled), simple!(mangled), none!(mangled)], [...expected, mangled]);
  }
});

test('Rust, legacy and v0, without its hashes', () => {
  const legacy = '_ZN66_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17h0123456789abcdefE';
  assert.equal(full!(legacy), '<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop');
  assert.equal(simple!(legacy), '<alloc::vec::Vec as core::ops::drop::Drop>::drop');
  const v0 = '_RINvNtCs1234_4core3ptr13drop_in_placeNtCs5678_1a1bE';
  assert.equal(full!(v0), 'core::ptr::drop_in_place::<a::b>');
  assert.equal(templates!(v0), 'core::ptr::drop_in_place::<a::b>');
  assert.equal(simple!(v0), 'core::ptr::drop_in_place');
});

test('what is not mangled, or by nobody that is known, stays as it is', () => {
  for (const name of [
    'main',
    '_start',
    '_Z',
    '__Z',
    '_R',
    '_RN',
    'main.(*T).f',
    '$s4main3fooyyF',
    '_D4test3fooFZv',
    '_Zfoo',
  ]) {
    assert.equal(full!(name), name);
  }
});

test('a short name that stands for a hundred megabytes stays mangled, and the next one does not', () => {
  const reference = (number: number) => `S${number === 0 ? '' : (number - 1).toString(36).toUpperCase()}_`;
  // Each level names the one before twice.
  const levels = Array.from({ length: 22 }, (_, level) => `S_I${reference(level + 2)}${reference(level + 2)}E`);
  const bomb = `_Z1f1PI1aS0_E${levels.join('')}`;
  assert.equal(full!(bomb), bomb);
  assert.equal(full!('_Z1gv'), 'g()');
});
