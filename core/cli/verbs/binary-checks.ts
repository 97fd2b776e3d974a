/** `pipe binary checks`: every bounds and nil check that the compiler left in a binary. */
import { ExitCode } from '../exit-codes.js';
import type { Verb } from '../verb.js';

export const binaryChecks: Verb = {
  words: ['binary', 'checks'],
  summary: 'print the instructions of all bounds and nil checks of a Go binary',
  positionals: [{ name: 'file', describe: 'an executable or library; stripped or not' }],
  options: {
    function: { kind: 'text', describe: 'only functions whose name matches this regular expression' },
    json: { kind: 'flag', describe: 'one JSON object a line: {address, kind, check, role, function, file, line}' },
  },
  examples: [
    ["pipe binary checks ./server --function '^main\\.'", 'of the functions of package main'],
    ['pipe binary checks ./server --json | jq -r .function | sort | uniq -c', 'how many instructions a function'],
  ],
  async run(call) {
    const { withBinary, functionPattern, hex } = await import('../go-binary.js');
    const { listChecks } = await import('../../binary/checks/list-checks.js');
    const pattern = functionPattern(call);
    await withBinary(call, async (binary) => {
      for (const row of listChecks(binary, pattern)) {
        const { kind, check, role, function: name, file, line } = row;
        const address = hex(row.address);
        if (call.flag('json')) call.out.json({ address, kind, check, role, function: name, file, line });
        else call.out.line(`${address} ${kind} ${check} ${role} ${name} ${file}:${line}`);
        await call.out.drained();
      }
    });
    return ExitCode.ok;
  },
};
