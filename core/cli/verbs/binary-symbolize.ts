/** `pipe binary symbolize`: what stands at addresses of a binary. */
import { createInterface } from 'node:readline';
import type { Binary } from '../../binary/binary.js';
import type { GoTable } from '../../formats/gopclntab/table.js';
import { ExitCode } from '../exit-codes.js';
import { type Call, CallProblem, type Verb } from '../verb.js';

export const binarySymbolize: Verb = {
  words: ['binary', 'symbolize'],
  summary: 'print function, file and line of addresses of a Go binary, inlined calls too',
  positionals: [
    { name: 'file', describe: 'an executable or library; stripped or not' },
    {
      name: 'address',
      describe: 'as the file has it, such as 0x401000; without any, one a line from stdin',
      isOptional: true,
      isMany: true,
    },
  ],
  options: {
    json: {
      kind: 'flag',
      describe: 'one JSON object a line: {address, frames: [{function, file, line, startLine, inlined}]}',
    },
  },
  examples: [
    ['pipe binary symbolize ./server 0x48a1c0', 'frames at an exact address, innermost first'],
    ['pipe binary symbolize ./server --json < addresses.txt', 'of many addresses'],
  ],
  async run(call) {
    const { withBinary } = await import('../go-binary.js');
    const { FormatError } = await import('../../formats/errors.js');
    await withBinary(call, async (binary) => {
      const { go } = binary;
      if (go === undefined) throw new FormatError('E_GO_NO_TABLE', 'no Go function table in this binary');
      for await (const text of addresses(call)) {
        print(parseAddress(text), binary, go, call);
        await call.out.drained();
      }
    });
    return ExitCode.ok;
  },
};

async function* addresses(call: Call): AsyncGenerator<string> {
  const given = call.rest('address');
  if (given.length > 0) yield* given;
  else for await (const line of createInterface({ input: process.stdin })) if (line.trim() !== '') yield line.trim();
}

function parseAddress(text: string): bigint {
  if (/^(0x)?[0-9a-f]{1,16}$/i.test(text)) return BigInt(/^0x/i.test(text) ? text : `0x${text}`);
  throw new CallProblem('bad-value', `"${text}" is no address (hexadecimal, with or without 0x)`, ExitCode.usage);
}

/** An address outside of all functions has no frames: nothing is guessed. */
function print(address: bigint, { imageBase }: Binary, go: GoTable, { out, flag }: Call): void {
  const objectAddress = address - imageBase;
  const isInside = objectAddress >= 0n && objectAddress <= BigInt(Number.MAX_SAFE_INTEGER);
  const frames = isInside ? go.frames(Number(objectAddress)) : [];
  const text = `0x${address.toString(16)}`;
  if (flag('json')) {
    out.json({
      address: text,
      frames: frames.map(({ function: name, file, line, startLine, inlined }) => ({
        function: name,
        file,
        line,
        startLine,
        inlined,
      })),
    });
    return;
  }
  if (frames.length === 0) out.line(`${text} ??`);
  frames.forEach(({ function: name, file, line, inlined }, index) => {
    out.line(`${index === 0 ? text : ' '.repeat(text.length)} ${name} ${file}:${line}${inlined ? ' (inlined)' : ''}`);
  });
}
