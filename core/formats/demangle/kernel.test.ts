import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DemangleKernel, NamePart } from './kernel.js';

const kernel = new DemangleKernel();
const everything = NamePart.parameters | NamePart.templateArguments | NamePart.returnTypes;

/**
 * Productions of the Itanium C++ ABI's grammar; most names are of GCC 12 and Clang 14. Expected is what c++filt 2.40 says, but for
 * `std::string` and the like, which it writes in full; where it cannot read a name or reads it wrongly, what LLVM or the ABI says.
 */
const productions: { readonly [production: string]: { readonly [name: string]: string } } = {
  names: {
    _ZN1n1A1B1C1gEv: 'n::A::B::C::g()',
    _ZN1n12_GLOBAL__N_14anonEv: 'n::(anonymous namespace)::anon()',
    _ZSt1fv: 'std::f()',
    _ZL1fv: 'f()',
    _ZN1aL1bE: 'a::b',
    _ZN1n2TgB2t1B2t2C1Ev: 'n::Tg[abi:t1][abi:t2]::Tg()',
    _ZN1n2saE: 'n::sa',
    _ZN1nDC2sa2sbEE: 'n::[sa, sb]',
    _ZN1aUt_C2Ev: 'a::{unnamed type#1}::{unnamed type#1}()',
    _ZNSt1aC1Ev: 'std::a::a()',
    _ZN1n2IcCI1NS_2IbEEiPNS_1AE: 'n::Ic::Ic(int, n::A*)',
    _ZN1n1AD0Ev: 'n::A::~A()',
    '_Z1fv.part.0.cold': 'f()',
    __Z1fv: 'f()',
    ___Z1fv_block_invoke_2: 'invocation function for block in f()',
    _ZW3foo1fv: 'f@foo()',
    _ZN1aW3fooWP3bar1bEv: 'a::b@foo:bar()',
  },
  operators: {
    _ZN1n1AcmES0_: 'n::A::operator,(n::A)',
    _ZN1n1AdaEPv: 'n::A::operator delete[](void*)',
    _ZN1n1AnwEm: 'n::A::operator new(unsigned long)',
    _ZN1n1AppEi: 'n::A::operator++(int)',
    _ZN1n1AptEv: 'n::A::operator->()',
    _ZNK1n1AclEi: 'n::A::operator()(int) const',
    _ZNK1n1AixEi: 'n::A::operator[](int) const',
    _ZNK1n1AltIiEEbT_: 'bool n::A::operator< <int>(int) const',
    _ZlsIiEvT_: 'void operator<< <int>(int)',
    _ZNK1n1AcvbEv: 'n::A::operator bool() const',
    _ZN1n1AcvPT_IiEEv: 'n::A::operator int*<int>()',
    _ZN1n1AcvPT_ISt6vectorIiSaIiEEEEv:
      'n::A::operator std::vector<int, std::allocator<int> >*<std::vector<int, std::allocator<int> > >()',
    _ZN1nli4_litEy: 'n::operator"" _lit(unsigned long long)',
    _ZN1av23addEii: 'a::operator add(int, int)',
  },
  'abbreviations and substitutions': {
    _ZNSaIcEC1ERKS_: 'std::allocator<char>::allocator(std::allocator<char> const&)',
    _ZNSsC1Ev: 'std::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string()',
    _ZNSdD2Ev: 'std::basic_iostream<char, std::char_traits<char> >::~basic_iostream()',
    _Z1fSs: 'f(std::string)',
    _ZlsRSoRK1aIiE: 'operator<<(std::ostream&, a<int> const&)',
    _ZN1n2cvEPKiPKPiRVKcS2_RA2_S0_RKPKPKNS_1AE:
      'n::cv(int const*, int* const*, char const volatile&, int*, int const (&) [2], n::A const* const* const&)',
    _ZN1n4lamtINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEEEvT_:
      'void n::lamt<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > >(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >)',
  },
  'local names, lambdas, names of what has none': {
    _ZZN1n3lamEvE2nm: 'n::lam()::nm',
    _ZZ1fvEs_0: 'f()::string literal',
    _ZZ1fvE1a__12_: 'f()::a',
    _ZZN1n3lamEvENUt_1zEv: 'n::lam()::{unnamed type#1}::z()',
    _ZZN1n3lamEvENKUlicE_clEic: 'n::lam()::{lambda(int, char)#1}::operator()(int, char) const',
    _ZZZN1n3lamEvENUlvE2_clEvENKUlvE_clEv: 'n::lam()::{lambda()#4}::operator()()::{lambda()#1}::operator()() const',
    _ZNK1n2Dm1xMUlvE_clEv: 'n::Dm::x::{lambda()#1}::operator()() const',
    _ZZN1n2Dm1qEiEd_NKUliE_clEi: 'n::Dm::q(int)::{default arg#1}::{lambda(int)#1}::operator()(int) const',
    _ZZ1fvENKUlTyT_E_clIiEEDaS_: 'auto f()::{lambda<typename $T0>($T0)#1}::operator()<int>(int) const',
    _ZTIZN1n3lamEvEUliE3_: 'typeinfo for n::lam()::{lambda(int)#5}',
  },
  'parameters of generic lambdas, by substitution': {
    _ZZN1n3lamEvENKUlT_DpOT0_E0_clINS_1AEJiRA2_KcEEEDaS0_S3_:
      'auto n::lam()::{lambda(auto:1, (auto:2&&)...)#2}::operator()<n::A, int, char const (&) [2]>(n::A, int&&, char const (&) [2]) const',
    _ZZN1n3lamEvENKUlT_DpOT0_E0_clIiJEEEDaS0_S3_:
      'auto n::lam()::{lambda(auto:1, (auto:2&&)...)#2}::operator()<int>(int) const',
    _ZZZN1n4lamtIiEEvT_ENKUliE_clEiENKUlS1_E_clIiEEDaS1_:
      'auto void n::lamt<int>(int)::{lambda(int)#1}::operator()(int) const::{lambda(auto:1)#1}::operator()<int>(int) const',
  },
  types: {
    _ZN1n2biEahstjlmxynofdegwDsDiDuDnbz:
      'n::bi(signed char, unsigned char, short, unsigned short, unsigned int, long, unsigned long, long long, unsigned long long, __int128, unsigned __int128, float, double, long double, __float128, wchar_t, char16_t, char32_t, char8_t, decltype(nullptr), bool, ...)',
    _ZN1n2fpEPFviEPFPFidEcERFvvEPA4_iMNS_1AEKFiiEMSA_iPDoFvvE:
      'n::fp(void (*)(int), int (*(*)(char))(double), void (&)(), int (*) [4], int (n::A::*)(int) const, int n::A::*, void (*)() noexcept)',
    _Z1fDF16_DF16bDF32x: 'f(_Float16, std::bfloat16_t, _Float32x)',
    _Z1fDB8_DU5_: 'f(_BitInt(8), unsigned _BitInt(5))',
    _Z1fCfGd: 'f(float _Complex, double _Imaginary)',
    _Z1fPrVKi: 'f(int const volatile restrict*)',
    _Z1fA_i: 'f(int [])',
    _Z4vecsDv4_fDv8_i: 'vecs(float __vector(4), int __vector(8))',
    _Z1fPDwicEFvvE: 'f(void (*)() throw(int, char))',
    _Z1fPDOLb1EEFvvE: 'f(void (*)() noexcept(true))',
    _Z1fM1AFvvOE: 'f(void (A::*)() &&)',
    _Z1fPU3AS1i: 'f(int AS1*)',
    _Z1fu5mytyp: 'f(mytyp)',
    _Z1fDk1C: 'f(C auto)',
    _Z1fTs1ATu1BTe1C: 'f(struct A, union B, enum C)',
    _Z3tecPFvPFviEE: 'tec(void (*)(void (*)(int)))',
    _ZNR1n1A1rEv: 'n::A::r() &',
    _ZNO1n1A2rrEv: 'n::A::rr() &&',
    _ZNV1n1A2voEv: 'n::A::vo() volatile',
  },
  'return types': {
    _ZN1n3arrIiEERA3_iT_: 'int (&n::arr<int>(int)) [3]',
    _ZN1n4retrIiEEPFPFvfEiET_: 'void (*(*n::retr<int>(int))(int))(float)',
    _ZN1n4rettIiEEPFicET_: 'int (*n::rett<int>(int))(char)',
  },
  'template arguments': {
    _ZN1n3valIMNS_1AEKFiiEXadL_ZNKS1_1fEiEEEEvv: 'void n::val<int (n::A::*)(int) const, &(n::A::f(int) const)>()',
    _ZN1n3valIMNS_1AEiXadL_ZNS1_1mEEEEEvv: 'void n::val<int n::A::*, &n::A::m>()',
    _ZN1n3valINS_1A1EELS2_n3EEEvv: 'void n::val<n::A::E, (n::A::E)-3>()',
    _ZN1n3valIPiLS1_0EEEvv: 'void n::val<int*, (int*)0>()',
    _ZN1n3valIbLb1EEEvv: 'void n::val<bool, true>()',
    _ZN1n3valIcLc97EEEvv: 'void n::val<char, (char)97>()',
    _ZN1n3valIiLin5EEEvv: 'void n::val<int, -5>()',
    _ZN1n3valIxLxn1EEEvv: 'void n::val<long long, -1ll>()',
    _ZN1n3valIDnLDnEEEvv: 'void n::val<decltype(nullptr), decltype(nullptr)>()',
    _ZN1n3valIDnLDn0EEEvv: 'void n::val<decltype(nullptr), (decltype(nullptr))0>()',
    _ZN1n2ntIXtlNS_1PELi1ELd4004000000000000EEEEEvv: 'void n::nt<n::P{1, (double)[4004000000000000]}>()',
    _ZN1n2nfILfbf800000EEEvv: 'void n::nf<(float)[bf800000]>()',
    _ZN1n2ttISt6vectoriEEvT_IJT0_EE: 'void n::tt<std::vector, int>(std::vector<int>)',
    _Z1fIXadL_Z1gIiEvT_EEEvv: 'void f<&(void g<int>(int))>()',
    _Z2m2IL_ZN1S2stEEEvv: 'void m2<S::st>()',
    _Z1fIiEvT_Q1CIT_E: 'void f<int>(int) requires C<int>',
  },
  packs: {
    _ZN1n5packsIJEEEvDpOT_: 'void n::packs<>()',
    _ZN1n5packsIJRiiPKcEEEvDpOT_: 'void n::packs<int&, int, char const*>(int&, int&&, char const*&&)',
    _ZN1n3tupIJicEEESt5tupleIJDpT_EES1_IJDpPS2_EES3_:
      'std::tuple<int, char> n::tup<int, char>(std::tuple<int*, char*>, int, char)',
    _Z2p2IJicEJlsEEv2TpIJDpT_EES0_IJDpT0_EES0_IJDpS0_IJS1_S4_EEEE:
      'void p2<int, char, long, short>(Tp<int, char>, Tp<long, short>, Tp<Tp<int, long>, Tp<char, short> >)',
    _Z2p3IJicEEvDpPFvT_E: 'void p3<int, char>(void (*)(int), void (*)(char))',
    _Z2p5IJLi1ELi2EEEv2TpIJDp1IIXT_EEEE: 'void p5<1, 2>(Tp<I<1>, I<2> >)',
    _Z2p6IJicEEvDpRA3_T_: 'void p6<int, char>(int (&) [3], char (&) [3])',
    _Z1fIJEJiEEvv: 'void f<int>()',
    _ZN1n4foldIJilEEENS_2EnIXflaagtszfp_Li1EEEEDpT_:
      'n::En<(...&&(((sizeof {parm#1})>(1))))> n::fold<int, long>(int, long)',
    _ZN1n5foldbIJiiEEEDTfLplLi0Efp_EDpT_: 'decltype (((0)+...+{parm#1})) n::foldb<int, int>(int, int)',
    _ZN1n5foldrIJiiEEEDTfrplfp_EDpT_: 'decltype (({parm#1}+...)) n::foldr<int, int>(int, int)',
    _ZN1n3cntIJiiEEENS_2EnIXeqsZT_Li2EEE4typeEDpT_: 'n::En<(2)==(2)>::type n::cnt<int, int>(int, int)',
  },
  expressions: {
    _Z2f1IiEDTmlsclfp_ngfp_ET_: 'decltype ((static_cast<long>({parm#1}))*(-{parm#1})) f1<int>(int)',
    _Z2f3IiEDTmmfp_ET_: 'decltype ({parm#1}--) f3<int>(int)',
    _Z2f5IiEDTnw_T_pifp_EES0_: 'decltype (new int({parm#1})) f5<int>(int)',
    _Z2f6IiEDTtlT_fp_EES0_: 'decltype (int{{parm#1}}) f6<int>(int)',
    _Z2f7IiEDTcvT_fp_ES0_: 'decltype ((int){parm#1}) f7<int>(int)',
    _Z2f8IPiEDTixfp_Li0EET_: 'decltype ({parm#1}[0]) f8<int*>(int*)',
    _Z2g1IiE1IIXstT_EES1_: 'I<sizeof (int)> g1<int>(int)',
    _Z2g3IiE1IIXnxcvT__EEES1_: 'I<noexcept ((int)())> g3<int>(int)',
    _Z2g4IiE1IIXatT_EES1_: 'I<alignof (int)> g4<int>(int)',
    _Z2g6ILi5EE1IIXooaagtT_Li1EleT_Li9EntT_EEv: 'I<((((5)>(1)))&&((5)<=(9)))||(!(5))> g6<5>()',
    _Z2h1I1SEDtdtfp_1xET_: 'decltype ({parm#1}.x) h1<S>(S)',
    _Z2h3I1SEDTclptfp_1tIiELi1EEEPT_: 'decltype (({parm#1}->(t<int>))(1)) h3<S>(S*)',
    _Z2h5I1SEDTadsrT_1fEPS1_: 'decltype (&S::f) h5<S>(S*)',
    _Z2h6I1SEDTpmfp_fp0_EPT_MS2_i: 'decltype ({parm#1}->*{parm#2}) h6<S>(S*, int S::*)',
    _Z2k2IiEDTclL_Z2friEfp_EET_: 'decltype (fr({parm#1})) k2<int>(int)',
    _Z2k4IPiEDTrcPcfp_ET_: 'decltype (reinterpret_cast<char*>({parm#1})) k4<int*>(int*)',
    _Z1fIiEDTgsdlLi1EEv: 'decltype (::delete (1)) f<int>()',
    _Z1fIiEDTgsnw_T_EEv: 'decltype (::new int) f<int>()',
    _Z1fIiEDTnwLi1E_iilLi2EEEv: 'decltype (new (1) int{2}) f<int>()',
    _Z1fIiEDTcvi_Li1ELi2EEEv: 'decltype ((int)(1, 2)) f<int>()',
    _Z1fIiEDTtl1Adi1adxLi0ELi1EdXLi2ELi3ELi4EEEv: 'decltype (A{.a[0]=(1), [2 ... 3]=(4)}) f<int>()',
    _Z1fIiEDTtwLi1EEv: 'decltype (throw (1)) f<int>()',
    _Z1fIiEDTtrEv: 'decltype (throw) f<int>()',
    _Z1fIiEDTawLi1EEv: 'decltype (co_await (1)) f<int>()',
    _Z1fIiEDTssLi1ELi2EEv: 'decltype ((1)<=>(2)) f<int>()',
    _Z1fIiEDTquLi1ELi2ELi3EEv: 'decltype ((1)?(2) : (3)) f<int>()',
    _Z1fIiEDTsrN1AIT_E1BE1cEv: 'decltype (A<int>::B::c) f<int>()',
    _Z1fIiEDTsr1A1BE1cEv: 'decltype (A::B::c) f<int>()',
    _Z1fIiEDTfpTEv: 'decltype (this) f<int>()',
    _Z1fIiEvT_RDTfL0p_E: 'void f<int>(int, decltype ({parm#1})&)',
    _Z1fIA3_KcLA4_cEEvv: 'void f<char const [3], "<char [4]>">()',
    _ZN1n4inv2IRFiiiEJiRiEEEDTclclsr3stdE7forwardIT_Efp_Espclsr3stdE7forwardIT0_Efp0_EEEOS4_DpOS5_:
      'decltype (((std::forward<int (&)(int, int)>)({parm#1}))((std::forward<int>)({parm#2}), (std::forward<int&>)({parm#2}))) n::inv2<int (&)(int, int), int, int&>(int (&)(int, int), int&&, int&)',
  },
  'what the compiler makes': {
    _ZTVN1n1DE: 'vtable for n::D',
    _ZTTN1n1DE: 'VTT for n::D',
    _ZTCN1aE16_N1bIiEE: 'construction vtable for b<int>-in-a',
    _ZTIN1n1DE: 'typeinfo for n::D',
    _ZTSPFviE: 'typeinfo name for void (*)(int)',
    _ZThn16_N1aD1Ev: 'non-virtual thunk to a::~a()',
    _ZTv0_n24_N1n1DD0Ev: 'virtual thunk to n::D::~D()',
    _ZTch0_v0_n24_N1n1D1cEv: 'covariant return thunk to n::D::c()',
    _ZGVZN1n3lamEvE1q: 'guard variable for n::lam()::q',
    _ZGRN1n2rtE_: 'reference temporary #0 for n::rt',
    _ZTHN1n3tlsE: 'TLS init function for n::tls',
    _ZTWN1n3tlsE: 'TLS wrapper function for n::tls',
    _ZTAXtl1PLi1EEE: 'template parameter object for P{1}',
    _ZGTtN1a1fEv: 'transaction clone for a::f()',
    _ZGIW3fooW3bar: 'initializer for module foo.bar',
  },
};

for (const [production, names] of Object.entries(productions)) {
  test(`C++: ${production}`, () => {
    for (const [name, expected] of Object.entries(names)) assert.equal(kernel.cxx(name, everything), expected, name);
  });
}

test('without return types, parameters, or template arguments', () => {
  const name = '_ZN1a1bIiE1fINS_1cIXadL_Z1giEEEEEEDaRT_';
  assert.equal(kernel.cxx(name, everything), 'auto a::b<int>::f<a::c<&(g(int))> >(a::c<&(g(int))>&)');
  const { parameters, templateArguments } = NamePart;
  assert.equal(kernel.cxx(name, parameters | templateArguments), 'a::b<int>::f<a::c<&(g(int))> >(a::c<&(g(int))>&)');
  assert.equal(kernel.cxx(name, templateArguments), 'a::b<int>::f<a::c<&(g(int))> >');
  assert.equal(kernel.cxx(name, 0), 'a::b::f');
  assert.equal(kernel.cxx('_ZNSsC1ERKSs', 0), 'std::basic_string::basic_string');
});

test('C++: names that are none, that refer to nothing, or to themselves', () => {
  const names = [
    '_Z',
    '_Z1',
    '_Z2f',
    '_Z1fS_',
    '_Z1fT_',
    '_Z1fIiEvT0_',
    '_Z1fv_x',
    '_ZNC1Ev',
    '_Z1fILiEEvv',
    '_ZTh_1fv',
    '_Z99999999999f',
    '_ZN1acvT_IS1_EEv',
    '_ZN1acvT_IKS1_EEv',
  ];
  for (const name of names) assert.equal(kernel.cxx(name, everything), undefined, name);
});

test('a name that is too deep, too long, or of too many bytes is not read', () => {
  assert.equal(kernel.cxx(`_Z1f${'P'.repeat(200)}i`, everything), `f(int${'*'.repeat(200)})`);
  assert.equal(kernel.cxx(`_Z1f${'P'.repeat(20_000)}i`, everything), undefined);
  assert.equal(kernel.cxx(`_Z40000${'f'.repeat(40_000)}v`, everything), undefined);
  assert.equal(kernel.cxx('_Z4äöv', everything), 'äö()');
});

test('Rust v0: paths, types, constants, and what is bound', () => {
  const names = {
    _RNvC1a1f: 'a::f',
    _RNvMs_C1aNtB4_1B1f: '<a::B>::f',
    _RNvXC1aNtB2_1BNtB2_1T1f: '<a::B as a::T>::f',
    _RNvYNtC1a1BNtB4_1T1f: '<a::B as a::T>::f',
    _RNCNvC1a1fs_0B3_: 'a::f::{closure#1}',
    _RNSNvC1a1f6vtableB3_: 'a::f::{shim:vtable#0}',
    _RINvC1a1fReQAhj2_SmTtETiaEPxOyuE:
      'a::f::<&str, &mut [u8; 2], [u32], (u16,), (isize, i8), *const i64, *mut u64, ()>',
    _RINvC1a1fFUKCiEuFG_RL0_hEbE: 'a::f::<unsafe extern "C" fn(isize), for<\'a> fn(&\'a u8) -> bool>',
    _RINvC1a1fDINtB2_1ThEp1AmEL_E: 'a::f::<dyn a::T<u8, A = u32>>',
    _RINvC1a1fKj1f_Kin5_Kb1_Kc41_Kc27_KpE: "a::f::<31, -5, true, 'A', '\\'', _>",
    _RNvNtCs6xxl1lAjzDf_1au6t_9fabu9gre_6ka8i: 'a::été::größe',
    '_RNvC1a1f.cold': 'a::f.cold',
    '_RNvC1a1f.llvm.12345.cold': 'a::f.cold',
    _RNvC1a: undefined,
    _RNvB_1f: undefined,
  };
  for (const [name, expected] of Object.entries(names)) assert.equal(kernel.rust(name), expected, name);
});

test('Rust legacy: escapes, without the hash', () => {
  const names = {
    _ZN3foo3bar17h0123456789abcdefE: 'foo::bar',
    '_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE':
      "<Test + 'static as foo::Bar<Test>>::bar",
    _ZN12test$BP$test4foobE: 'test*test::foob',
    _ZN4$RF$a5a$C$b8$LP$a$RP$E: undefined,
    _ZN5$RF$a5a$C$b9$LP$a$RP$E: '&a::a,b::(a)',
    '_ZN3foo17h0123456789abcdefE.llvm.ABC.cold': 'foo.cold',
    _ZN3fooE9: undefined,
  };
  for (const [name, expected] of Object.entries(names)) assert.equal(kernel.legacyRust(name), expected, name);
});
