/** Names of functions, which stand at the DIE or at those that it refers to: its abstract origin, or its specification. */
import { DECLARATION_LINE, LINKAGE_NAME, NAME, ORIGIN, SPECIFICATION } from '../../core/formats/dwarf/kernel-codes';
import { useTable } from './abbreviations';
import { formOf, has, NAME_FIELDS, numberOf, placeOf, readFieldsAt } from './die';
import { input, origin } from './input';

/** Of each field the first on the way, with form 0 for one that none has. */
class FunctionName {
  name!: f64;
  linkageName!: f64;
  startLine!: f64;
  /** To the DIE that says more, which is not in the input. */
  reference!: f64;
  nameForm!: u16;
  linkageNameForm!: u16;
  referenceForm!: u16;
  padding!: u16;
  /** How many references led to DIEs in the input. */
  followed!: u32;
}

const found = changetype<FunctionName>(memory.data(offsetof<FunctionName>(), 8));
export const functionName: usize = changetype<usize>(found);

/**
 * Reads the DIE at `at`, and those that it refers to in the input.
 * @param first position of a DIE in the unit @param maxReferences that are followed
 * @returns bytes of the first DIE: more than there are for one that goes on behind the input
 */
export function readFunctionName(table: usize, at: usize, end: usize, first: u32, maxReferences: u32): u32 {
  useTable(table);
  memory.fill(functionName, 0, offsetof<FunctionName>());
  let behind = readFieldsAt(at, end, NAME_FIELDS);
  const bytes = u32(behind - at);
  while (behind <= end) {
    takeFields();
    if (found.referenceForm === 0 || found.followed === maxReferences) break;
    const next = placeOf(has(ORIGIN) ? ORIGIN : SPECIFICATION, end);
    if (next === 0 || u32(next - input) + origin < first) break;
    behind = readFieldsAt(next, end, NAME_FIELDS);
    if (behind <= end) found.followed++;
  }
  return bytes;
}

/** Takes what is new of the DIE that was read last. */
function takeFields(): void {
  if (found.nameForm === 0) {
    found.nameForm = u16(formOf(NAME));
    found.name = numberOf(NAME);
  }
  if (found.linkageNameForm === 0) {
    found.linkageNameForm = u16(formOf(LINKAGE_NAME));
    found.linkageName = numberOf(LINKAGE_NAME);
  }
  if (found.startLine === 0) found.startLine = numberOf(DECLARATION_LINE);
  const isComplete = found.linkageNameForm !== 0 && found.startLine !== 0;
  const reference = has(ORIGIN) ? ORIGIN : SPECIFICATION;
  found.referenceForm = isComplete ? 0 : u16(formOf(reference));
  found.reference = numberOf(reference);
}
