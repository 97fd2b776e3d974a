/** Sites as the kernel takes them: it has rules that need no more than registers and words of the stack. */
import {
  CFA_EXPRESSION,
  findBasedAddress,
  RegisterRule,
  RuleFlag,
  RuleWord,
  type UnwindTable,
  WORDS_PER_REGISTER,
} from '../../../core/binaries.js';
import { FormatError, type RegisterFile } from '../../../core/index.js';
import { GoKind } from './go-functions.js';
import { BY_CFI, BY_CFI_ROOT, BY_ENDING, BY_FRAME_POINTER, BY_GO, BY_HOST, BY_SIGNAL_FRAME } from './kernel-codes.js';
import { codeOf } from './kernel-endings.js';
import type { Means, Site } from './site.js';
import type { KernelSite } from './walk-kernel.js';

type CfiMeans = Pick<Means & { readonly method: 'cfi' }, 'table' | 'rule'>;
type KernelMeans = Pick<KernelSite, 'method' | 'rule'>;

const byHost: KernelMeans = { method: BY_HOST, rule: [] };

/** @param isAudited every step is the host's, who compares it with others */
export function kernelSite(site: Site, number: number, file: RegisterFile, isAudited: boolean): KernelSite {
  const { isExact, locationRow, means } = site;
  return { number, isExact, locationRow, ...(isAudited ? byHost : kernelMeans(means, file)) };
}

function kernelMeans(means: Means, file: RegisterFile): KernelMeans {
  switch (means.method) {
    case 'cfi':
      return cfiMeans(means, file);
    case 'go': {
      const isPlain = means.rule.kind === GoKind.plain && file.architecture === 'amd64';
      return isPlain ? { method: BY_GO, rule: [means.rule.delta] } : byHost;
    }
    case 'signal_return':
      return byHost;
    case 'frame_pointer':
      return { method: BY_FRAME_POINTER, rule: [] };
    case 'none':
      return { method: BY_ENDING, rule: [codeOf(means.ending)] };
  }
}

function cfiMeans({ table, rule }: CfiMeans, file: RegisterFile): KernelMeans {
  const { words } = table.rules;
  const start = table.rules.start(rule);
  const flags = words[start + RuleWord.flags]!;
  if ((flags & RuleFlag.signalFrame) !== 0) return signalMeans({ table, rule }, file) ?? byHost;
  const first = start + RuleWord.first;
  const end = first + WORDS_PER_REGISTER * words[start + RuleWord.count]!;
  if ((flags & RuleFlag.plain) === 0) {
    const cfaRegister = words[start + RuleWord.cfaRegister]!;
    const isFollowed = cfaRegister >= 0 && cfaRegister < file.names.length;
    return isFollowed && isRoot(words.subarray(first, end), file)
      ? { method: BY_CFI_ROOT, rule: [cfaRegister] }
      : byHost;
  }
  let returnAddressOffset = 0;
  const saved: number[] = [];
  for (let at = first; at < end; at += WORDS_PER_REGISTER) {
    const register = words[at]!;
    if (register === file.returnAddress) returnAddressOffset = words[at + 2]!;
    else if (words[at + 1] === RegisterRule.offset) saved.push(register, words[at + 2]!);
  }
  const [cfaRegister, cfaOffset] = [words[start + RuleWord.cfaRegister]!, words[start + RuleWord.cfaOffset]!];
  return { method: BY_CFI, rule: [cfaRegister, cfaOffset, returnAddressOffset, saved.length / 2, ...saved] };
}

/** @param pairs of a rule: register, kind, value */
function isRoot(pairs: Int32Array, { returnAddress }: RegisterFile): boolean {
  for (let at = 0; at < pairs.length; at += WORDS_PER_REGISTER) {
    if (pairs[at] === returnAddress) return pairs[at + 1] === RegisterRule.undefined;
  }
  return false;
}

/** libc's `__restore_rt` and the kernel's own: expressions, but simple ones. @returns undefined for others */
function signalMeans({ table: { rules, section }, rule }: CfiMeans, file: RegisterFile): KernelMeans | undefined {
  const { words } = rules;
  const start = rules.start(rule);
  if (words[start + RuleWord.cfaRegister] !== CFA_EXPRESSION) return undefined;
  const cfaPlace = placeInFrame(section, words[start + RuleWord.cfaOffset]!, file, true);
  let returnAddressPlace: number | undefined;
  const saved: number[] = [];
  const first = start + RuleWord.first;
  for (let at = first; at < first + WORDS_PER_REGISTER * words[start + RuleWord.count]!; at += WORDS_PER_REGISTER) {
    if (words[at + 1] !== RegisterRule.expression) return undefined;
    const place = placeInFrame(section, words[at + 2]!, file, false);
    if (place === undefined) return undefined;
    if (words[at] === file.returnAddress) returnAddressPlace = place;
    else saved.push(words[at]!, place);
  }
  if (cfaPlace === undefined || returnAddressPlace === undefined) return undefined;
  return { method: BY_SIGNAL_FRAME, rule: [cfaPlace, returnAddressPlace, saved.length / 2, ...saved] };
}

/** Bytes from the stack pointer; undefined where the expression is another one, or spoilt. @param isRead which of both it has to be */
function placeInFrame(
  section: UnwindTable['section'],
  offset: number,
  { stackPointer }: RegisterFile,
  isRead: boolean,
): number | undefined {
  try {
    const found = findBasedAddress(section, offset);
    return found?.register === stackPointer && found.isRead === isRead ? found.offset : undefined;
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return undefined;
  }
}
