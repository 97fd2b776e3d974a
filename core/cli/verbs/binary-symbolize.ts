/** `pipe binary symbolize`: what stands at addresses of a binary. */
import type { DemangleMode } from '../../binary/symbols/demangle.js';
import { ExitCode } from '../exit-codes.js';
import type { Placement } from '../symbolize/target.js';
import { type Call, CallProblem, type Verb } from '../verb.js';

export const binarySymbolize: Verb = {
  words: ['binary', 'symbolize'],
  summary: 'print functions, files and lines at addresses of a binary, inlined calls too',
  positionals: [
    { name: 'file', describe: 'an executable or library, stripped or not; or FILE:0xADDRESS, without one for all' },
    {
      name: 'address',
      describe:
        'as the file has it, such as 0x401000, or FILE:0x401000; without any, one a line from stdin, answered as it comes',
      isOptional: true,
      isMany: true,
    },
  ],
  options: {
    json: {
      kind: 'flag',
      describe: 'an object a line: {address, frames: [{function, file, line, column, startLine, inlined}]}',
    },
    demangle: {
      kind: 'text',
      describe:
        'names of C++ and Rust: full (default); templates, without parameters; simple, also without template arguments',
      choices: ['full', 'templates', 'simple', 'none'],
    },
    addresses: { kind: 'flag', describe: 'print the address before its frames (JSON always has it)' },
    decimal: { kind: 'flag', describe: 'numbers without 0x are decimal; else they are hexadecimal, as nm prints them' },
    'runtime-base': {
      kind: 'text',
      describe: 'addresses are of a process where the lowest address of the file is loaded here',
    },
    mapping: { kind: 'text', describe: 'the same by a line of /proc/PID/maps: "START-LIMIT r-xp OFFSET", hexadecimal' },
  },
  examples: [
    ['pipe binary symbolize ./server 0x48a1c0', 'frames at an exact address, innermost first'],
    ['pipe binary symbolize ./server --json < addresses.txt', 'of many addresses'],
    ['pipe binary symbolize ./server:0x48a1c0 libc.so.6:0x27000', 'of several files'],
  ],
  async run(call) {
    const { Session, fileAndAddress } = await import('../symbolize/session.js');
    const { createDemangler } = await import('../../binary/symbols/demangle.js');
    const file = call.argument('file');
    const isAddress = fileAndAddress(file) !== undefined;
    const words = isAddress ? [file, ...call.rest('address')] : call.rest('address');
    const { debugFolders } = await import('../symbolize/debug-folders.js');
    const named = words.map((word) => fileAndAddress(word)?.file ?? file);
    const session = new Session(call, {
      file: isAddress ? undefined : file,
      placement: await placement(call),
      demangle: createDemangler((call.text('demangle') ?? 'full') as DemangleMode),
      debugFolders: await debugFolders(call, new Set(named.length === 0 ? [file] : named)),
      isDecimal: call.flag('decimal'),
      form: { isJson: call.flag('json'), withAddress: call.flag('addresses') },
    });
    for (const word of words) {
      const problem = session.problemOf(word);
      if (problem !== undefined) throw new CallProblem('bad-value', problem, ExitCode.usage);
    }
    if (words.length > 0) {
      await session.answer(Buffer.from(words.join('\n')));
    } else {
      const { batchesOfLines, openStdin } = await import('../symbolize/stdin-lines.js');
      for await (const batch of batchesOfLines(openStdin())) await session.answer(batch);
    }
    return session.finish();
  },
};

async function placement(call: Call): Promise<Placement> {
  const base = call.text('runtime-base');
  const mappingText = call.text('mapping');
  if (base !== undefined && mappingText !== undefined) {
    throw new CallProblem('usage', '--runtime-base and --mapping say the same: give one of them', ExitCode.usage);
  }
  if (base !== undefined) {
    if (!/^(?:0x)?0*[0-9a-f]{1,16}$/i.test(base)) {
      throw new CallProblem('bad-value', `--runtime-base: "${base}" is no hexadecimal address`, ExitCode.usage);
    }
    return { kind: 'base', runtimeBase: BigInt(/^0x/i.test(base) ? base : `0x${base}`) };
  }
  if (mappingText === undefined) return { kind: 'linked' };
  const { parseMapping } = await import('../symbolize/target.js');
  const mapping = parseMapping(mappingText);
  if (mapping !== undefined) return { kind: 'mapping', mapping };
  const wanted = 'a line of /proc/PID/maps, "START-LIMIT r-xp OFFSET"';
  throw new CallProblem('bad-value', `--mapping: "${mappingText}" is not ${wanted}`, ExitCode.usage);
}
