/** Whatever the name, the demangler answers soon, with a text that is not too long or with the name itself. */
import { createDemangler, type DemangleMode } from '../../core/binary/symbols/demangle.js';
import { fuzz } from './mutate.js';

const MAX_CHARACTERS = 2 ** 17;
/** Of arguments, sizes, references: what makes another name that is read to its end. */
const names = [
  '_ZNSt6vectorIN1a1bIiLi5EEESaIS2_EE6insertIJS2_RKS2_EEEN9__gnu_cxx17__normal_iteratorIPS2_S4_EES9_DpOT_',
  '_ZZN1a1fIiEEvT_PFvvEENKUlT_DpOT0_E0_clIcJlsEEEDaS1_S4_',
  '_ZN1acvT_IPA3_KiEEv',
  '_Z1gIXadL_ZNK1a1fEiEEXsr1bIT_EE1cEJLb1ELin5ELd4000000000000000EEEDTcldtfp_1fspclsr3stdE7forwardIT0_Efp0_EEOT_DpOT0_',
  '_ZThn16_NK1a1bB3tagD0Ev',
  '_ZTCN1aE16_NS_1bIM1cKFvvEEE',
  '_ZN1aIXfrplT_EE1fITpTyEEvDTnwLi1E_T_piLi2EEENKUt_C2EvQ1cIT_E',
  '_RINvMs3_NtCs1234_5crate6moduleINtB5_4TypeKj5_A3tE6methodNCNvB7_4main0DNtB9_5TraitEL_FG_RL0_eEuE',
  '_RNvXsa_C1au9gre_8c3a4xINtB2_1bKc27_KlnffE_NtB4_1c1d.llvm.123.cold',
  '_ZN4core3fmt66_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE.llvm.5',
];
const demanglers = (['full', 'templates', 'simple'] as DemangleMode[]).map(createDemangler);

await fuzz({
  name: 'demangle',
  seeds: names.map((name) => ({ bytes: Buffer.from(name) })),
  run(bytes) {
    const name = Buffer.from(bytes).toString();
    for (const demangle of demanglers) {
      const text = demangle(name);
      if (text !== name && text.length > MAX_CHARACTERS) throw new Error(`${text.length} characters`);
    }
  },
  isAllowed: () => false,
  maxMs: 500,
});
