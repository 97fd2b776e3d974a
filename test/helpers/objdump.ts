/** llvm-objdump's disassembly as data: another team's decoder, and symbols instead of Go's tables. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface ListedInstruction {
  readonly address: number;
  readonly mnemonic: string;
  readonly operands: string;
  /** Of a direct branch or call; undefined elsewhere. */
  readonly target: number | undefined;
  /** Symbol at or before the target, with its offset: "runtime.duffzero+0x10". */
  readonly symbol: string | undefined;
}

export interface ListedFunction {
  readonly name: string;
  readonly instructions: readonly ListedInstruction[];
}

/** Functions of .text by their symbols, in order of address. */
export async function* listFunctions(path: string): AsyncGenerator<ListedFunction> {
  const objdump = spawn('llvm-objdump', ['-d', '--no-show-raw-insn', '--section=.text', path], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let name: string | undefined;
  let instructions: ListedInstruction[] = [];
  for await (const line of createInterface({ input: objdump.stdout })) {
    const label = /^[0-9a-f]+ <(.*)>:$/.exec(line)?.[1];
    if (label !== undefined) {
      if (name !== undefined) yield { name, instructions };
      name = label;
      instructions = [];
      continue;
    }
    const instruction = parseInstruction(line);
    if (instruction !== undefined) instructions.push(instruction);
  }
  if (name !== undefined) yield { name, instructions };
}

/** `  4a1c20:      	jae	0x4a1c3c <main.f+0x1c>`. */
function parseInstruction(line: string): ListedInstruction | undefined {
  const match = /^\s*([0-9a-f]+):\s+(\S+)(?:\s+(.*))?$/.exec(line);
  if (match === null) return undefined;
  const [, address = '', mnemonic = '', operands = ''] = match;
  const branch = /0x([0-9a-f]+) <(.*)>$/.exec(operands);
  return {
    address: Number.parseInt(address, 16),
    mnemonic,
    operands,
    target: branch === null ? undefined : Number.parseInt(branch[1]!, 16),
    symbol: branch?.[2],
  };
}
