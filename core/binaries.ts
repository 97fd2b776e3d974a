/**
 * The second door for plugins: what reads the tables of executables. It stands beside core/index.ts because it is a third of the program,
 * which a start that looks into no executable need not load. Types of what `context.binaries` gives are in core/index.ts.
 */
export { checkInstructions } from './binary/checks/check.js';
export { findChecks } from './binary/checks/find-checks.js';
export { SymbolChains } from './binary/symbols/chain.js';
export { registerFile } from './binary/unwind/registers.js';
export { RuleFlag, RuleWord, WORDS_PER_REGISTER } from './binary/unwind/rule-set.js';
export { NO_RULE, SPOILT_RULE, UnwindTable } from './binary/unwind/unwind-table.js';
export { findBasedAddress } from './formats/cfi/based-address.js';
export { evaluateExpression } from './formats/cfi/expression.js';
export { CFA_EXPRESSION, RegisterRule } from './formats/cfi/row.js';
export type { CfiSection } from './formats/cfi/section.js';
export { GoFunctionFlag, isBeforeGo116, PcData } from './formats/gopclntab/table.js';
export { isJitdump, type JitDump, type JitPlacement, readJitdump } from './formats/jitdump/jitdump.js';
export { readKallsyms } from './formats/symbol-text/kallsyms.js';
export { readPerfMap } from './formats/symbol-text/perf-map.js';
