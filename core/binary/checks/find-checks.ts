/** All checks of a function, or of a whole binary, from its machine code and its Go table. */
import { decodeArm64 } from '../../formats/arm64/decode.js';
import { FormatError } from '../../formats/errors.js';
import type { GoTable } from '../../formats/gopclntab/table.js';
import { addressOf, Flow, type InstructionTable, Trait } from '../../formats/instructions.js';
import { decodeX86 } from '../../formats/x86/decode.js';
import type { Binary } from '../binary.js';
import { findBoundsChecks } from './bounds-checks.js';
import type { Check, NilCheck } from './check.js';
import { controlFlowOf } from './control-flow.js';
import { findPanicFunctions, type PanicFunctions, reportsBounds } from './panic-functions.js';

/** The largest functions of real programs have about 1 MB; a table that claims more is spoilt. */
const MAX_FUNCTION_BYTES = 2 ** 24;

const panicFunctions = new WeakMap<GoTable, PanicFunctions>();

/**
 * Checks of one function of Go 1.16 … 1.27, by the object address of the jump or load. Not cached.
 * Only functions of the Go table are looked into, so C code has none; assembly has no nil checks (its `test` is a test).
 * @returns [] without a Go table and for processors other than amd64 and arm64
 * @throws FormatError for a spoilt table, or E_LIMIT for a function of more than 16 MiB or with jumps past following
 */
export function findChecks(binary: Binary, functionIndex: number): Check[] {
  const go = binary.go;
  const decode = decoders[binary.architecture];
  if (go === undefined || decode === undefined) return [];
  const panics = panicsOf(go);
  const entry = go.entry(functionIndex);
  const size = go.end(functionIndex) - entry;
  if (size > MAX_FUNCTION_BYTES) {
    throw new FormatError('E_LIMIT', `function ${go.name(functionIndex)} is too large to disassemble`, {
      section: '.gopclntab',
      got: size,
      limit: MAX_FUNCTION_BYTES,
    });
  }
  const table = decode(binary.bytesAt(entry, size), entry);
  const checks: Check[] = [];
  if (callsPanic(table, panics) && !reportsBounds(go.name(functionIndex)))
    checks.push(...findBoundsChecks(controlFlowOf(table), functionIndex, panics));
  checks.push(...findNilChecks(table, go));
  return checks.sort((a, b) => place(a) - place(b));
}

/** The object address by which a check is told from others of its function: its jump's, or its load's. */
export const place = (check: Check): number => (check.kind === 'nilcheck' ? check.load : check.jump);

const decoders: {
  readonly [architecture: string]: ((code: Uint8Array, base: number) => InstructionTable) | undefined;
} = { amd64: decodeX86, arm64: decodeArm64 };

function panicsOf(go: GoTable): PanicFunctions {
  let panics = panicFunctions.get(go);
  if (panics === undefined) {
    panics = findPanicFunctions(go);
    panicFunctions.set(go, panics);
  }
  return panics;
}

function callsPanic(table: InstructionTable, panics: PanicFunctions): boolean {
  for (let row = 0; row < table.length; row++) {
    if (table.flow[row] === Flow.call && panics.has(table.target[row]!)) return true;
  }
  return false;
}

function findNilChecks(table: InstructionTable, go: GoTable): NilCheck[] {
  const found: NilCheck[] = [];
  for (let row = 0; row < table.length; row++) {
    if ((table.traits[row]! & Trait.nilLoad) === 0) continue;
    found.push({ kind: 'nilcheck', check: 'nil', load: addressOf(table, row), next: addressOf(table, row + 1) });
  }
  return found.length > 0 && isCompiled(table, go) ? found : [];
}

/** Whether a function came from the compiler rather than from an assembly file. */
function isCompiled(table: InstructionTable, go: GoTable): boolean {
  return go.frames(table.base).at(-1)?.file.endsWith('.s') === false;
}
