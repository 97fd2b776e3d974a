/** `pipe binary frames`: the stack that the functions of a binary take. */
import { ExitCode } from '../exit-codes.js';
import type { Verb } from '../verb.js';

export const binaryFrames: Verb = {
  words: ['binary', 'frames'],
  summary: 'print the functions of a Go binary and the bytes of their stack frames',
  positionals: [{ name: 'file', describe: 'an executable or library; stripped or not' }],
  options: {
    function: { kind: 'text', describe: 'only functions whose name matches this regular expression' },
    json: { kind: 'flag', describe: 'one JSON object a line: {function, entry, size, frameBytes}' },
  },
  examples: [['pipe binary frames ./server | sort -nr | head', 'the largest frames']],
  async run(call) {
    const { withBinary, functionPattern, hex } = await import('../go-binary.js');
    const { functionFrames } = await import('../../binary/frames.js');
    const pattern = functionPattern(call);
    await withBinary(call, async (binary) => {
      for (const { function: name, entry, size, frameBytes } of functionFrames(binary)) {
        if (pattern?.test(name) === false) continue;
        if (call.flag('json')) call.out.json({ function: name, entry: hex(entry), size, frameBytes });
        else call.out.line(`${String(frameBytes).padStart(8)}  ${hex(entry)}  ${name}`);
        await call.out.drained();
      }
    });
    return ExitCode.ok;
  },
};
