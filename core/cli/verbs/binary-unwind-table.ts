/** `pipe binary unwind-table`: how the callers' registers are found, pc by pc. */
import type { TableStats } from '../../binary/unwind/table-rows.js';
import { ExitCode } from '../exit-codes.js';
import { type Call, CallProblem, type Verb } from '../verb.js';

export const binaryUnwindTable: Verb = {
  words: ['binary', 'unwind-table'],
  summary: 'print the unwind table of a binary: the rule for the frame, pc by pc',
  positionals: [{ name: 'file', describe: 'an executable or library; stripped or not' }],
  options: {
    stats: { kind: 'flag', describe: 'figures of each table instead of its rows' },
    format: { kind: 'text', choices: ['parca'], describe: "as Parca's agent dumps its compact tables; .eh_frame only" },
    json: {
      kind: 'flag',
      describe:
        'one JSON object a line: {section, pc, cfa, registers, isSignalFrame}, cfa null where no rule follows; with --stats the figures of each table',
    },
  },
  examples: [
    ['pipe binary unwind-table ./server', 'each pc from which on another rule holds'],
    ['pipe binary unwind-table ./server --stats', 'rows, bytes, and how much of the code is covered'],
    ['pipe binary unwind-table ./server --format parca', "to compare with Parca's own dump"],
  ],
  async run(call) {
    const { withBinary, hex } = await import('../go-binary.js');
    const format = call.text('format');
    if (format !== undefined && (call.flag('stats') || call.flag('json'))) {
      throw new CallProblem('usage', '--format goes with neither --stats nor --json', ExitCode.usage);
    }
    await withBinary(call, async (binary) => {
      if (format === 'parca') {
        const { parcaText } = await import('../../binary/unwind/parca-text.js');
        for (const piece of parcaText(binary)) {
          call.out.exactly(piece);
          await call.out.drained();
        }
        return;
      }
      const { openTables, ruleText, tableRows, tableStats } = await import('../../binary/unwind/table-rows.js');
      const { tables, registers } = openTables(binary);
      for (const fault of binary.frames.faults)
        call.err.line({ text: `warning: ${fault.describe()}`, style: 'yellow' });
      for (const table of tables) {
        if (call.flag('stats')) {
          printStats(call, tableStats(table, binary));
          continue;
        }
        const section = table.section.name;
        for (const { pc, rule } of tableRows(table)) {
          const address = hex(binary.imageBase + BigInt(pc));
          const text = rule < 0 ? undefined : ruleText(table.rules, rule, registers);
          if (call.flag('json')) {
            call.out.json({
              section,
              pc: address,
              cfa: text?.cfa ?? null,
              registers: text?.registers ?? {},
              isSignalFrame: text?.isSignalFrame ?? false,
            });
          } else {
            const registerTexts = Object.entries(text?.registers ?? {}).map(([name, value]) => `${name}=${value}`);
            const signal = text?.isSignalFrame === true ? ['signal'] : [];
            call.out.line([address, text?.cfa ?? 'none', ...registerTexts, ...signal].join('  '));
          }
          await call.out.drained();
        }
        for (const fault of table.faults.first) {
          call.err.line({ text: `warning: ${fault.describe()}`, style: 'yellow' });
        }
      }
    });
    return ExitCode.ok;
  },
};

function printStats(call: Call, stats: TableStats): void {
  if (call.flag('json')) {
    call.out.json(stats);
    return;
  }
  const { section, functions, spoilt, rows, rules, expressions, bytes, sectionBytes, coveredBytes, codeBytes } = stats;
  const share = codeBytes === 0 ? '0.0' : ((100 * coveredBytes) / codeBytes).toFixed(1);
  call.out.line({ text: section, style: 'bold' });
  call.out.line(`  functions          ${functions}${spoilt === 0 ? '' : ` and ${spoilt} spoilt`}`);
  call.out.line(`  rows               ${rows}`);
  call.out.line(`  rules              ${rules}, ${expressions} with an expression`);
  call.out.line(`  bytes              ${bytes}, of ${sectionBytes} in the file`);
  call.out.line(`  code covered       ${share} %, ${coveredBytes} of ${codeBytes} bytes`);
}
