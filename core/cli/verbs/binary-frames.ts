/** `pipe binary frames`: the stack that the functions of a binary take. */
import { ExitCode } from '../exit-codes.js';
import { CallProblem, type Verb } from '../verb.js';

export const binaryFrames: Verb = {
  words: ['binary', 'frames'],
  summary: 'print the functions of a binary and the bytes of their stack frames',
  positionals: [{ name: 'file', describe: 'an executable or library; stripped or not' }],
  options: {
    function: { kind: 'text', describe: 'only functions whose name matches this regular expression' },
    diff: { kind: 'text', describe: 'a later build of the program: only functions whose frame is larger there' },
    profile: { kind: 'text', describe: 'with --diff: a goroutine profile, for what that makes on its stacks' },
    type: { kind: 'text', describe: 'with --profile: the values to count frames by; default: goroutine' },
    json: {
      kind: 'flag',
      describe:
        'one JSON object a line: {function, entry, size, frameBytes, method}, frameBytes null where the tables do not tell; with --diff {function, was, before, after, growth}, and with --profile {frames, bytes}',
    },
  },
  examples: [
    ['pipe binary frames ./server | sort -nr | head', 'the largest frames'],
    ['pipe binary frames ./server.old --diff ./server', 'frames that a new version of Go, or PGO, made larger'],
    ['pipe binary frames ./server.old --diff ./server --profile goroutine.pb.gz', 'and the stack that they take'],
  ],
  async run(call) {
    const { withBinary, functionPattern, hex } = await import('../go-binary.js');
    const { functionFrames } = await import('../../binary/frames.js');
    const pattern = functionPattern(call);
    const later = call.text('diff');
    if (later !== undefined) {
      const { printFramesDiff } = await import('../frames-diff.js');
      await withBinary(call, (binary) => printFramesDiff(binary, later, call));
      return ExitCode.ok;
    }
    for (const option of ['profile', 'type']) {
      if (call.text(option) !== undefined)
        throw new CallProblem('usage', `--${option} goes with --diff`, ExitCode.usage);
    }
    await withBinary(call, async (binary) => {
      for (const { function: name, entry, size, frameBytes, method } of functionFrames(binary)) {
        if (pattern?.test(name) === false) continue;
        if (call.flag('json')) {
          call.out.json({ function: name, entry: hex(entry), size, frameBytes: frameBytes ?? null, method });
        } else {
          call.out.line(`${String(frameBytes ?? '?').padStart(8)}  ${hex(entry)}  ${name}`);
        }
        if (call.out.isFull) await call.out.drained();
      }
    });
    return ExitCode.ok;
  },
};
