/** All checks of a binary, an instruction a row: what `pipe binary checks` prints. */
import { FormatError } from '../../formats/errors.js';
import { type GoTable, isBeforeGo116 } from '../../formats/gopclntab/table.js';
import type { Binary } from '../binary.js';
import { type CheckKind, type CheckName, type CheckRole, checkInstructions } from './check.js';
import { findChecks } from './find-checks.js';

export interface CheckInstruction {
  /** Absolute address, as the file has it. */
  readonly address: bigint;
  readonly kind: CheckKind;
  readonly check: CheckName;
  readonly role: CheckRole;
  /** The innermost function at the address, inlined or not; "" where the table does not say. File and line are in it. */
  readonly function: string;
  readonly file: string;
  readonly line: number;
}

/**
 * Instructions in order of address, each once, also where two checks share a compare.
 * @param wanted matched against the innermost function and the one whose code it is inlined into
 * @throws FormatError E_GO_NO_TABLE for a binary without Go's tables, E_GO_VERSION before 1.16, E_ARCHITECTURE for a processor that is not decoded, or of the tables
 */
export function* listChecks(binary: Binary, wanted?: RegExp): Generator<CheckInstruction> {
  const { go, architecture } = binary;
  if (go === undefined) throw new FormatError('E_GO_NO_TABLE', 'no Go function table in this binary');
  if (architecture !== 'amd64' && architecture !== 'arm64') {
    throw new FormatError('E_ARCHITECTURE', 'checks are found in amd64 and arm64 code only', { got: architecture });
  }
  if (isBeforeGo116(go)) {
    throw new FormatError('E_GO_VERSION', 'checks are found in code of Go 1.16 … 1.27, this is of 1.2 … 1.15');
  }
  for (let index = 0; index < go.length; index++) {
    const rows = functionRows(binary, go, index);
    const whole = wanted === undefined || wanted.test(go.name(index));
    for (const row of rows) if (whole || wanted.test(row.function)) yield row;
  }
}

function functionRows(binary: Binary, go: GoTable, index: number): CheckInstruction[] {
  const rows = new Map<number, CheckInstruction>();
  for (const check of findChecks(binary, index)) {
    for (const { objectAddress, role } of checkInstructions(check)) {
      if (rows.has(objectAddress)) continue;
      const frame = go.frames(objectAddress)[0];
      rows.set(objectAddress, {
        address: binary.imageBase + BigInt(objectAddress),
        kind: check.kind,
        check: check.check,
        role,
        function: frame?.function ?? '',
        file: frame?.file ?? '',
        line: frame?.line ?? 0,
      });
    }
  }
  return [...rows.values()].sort((a, b) => Number(a.address - b.address));
}
