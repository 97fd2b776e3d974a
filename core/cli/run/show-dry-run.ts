/** `pipe run --dry-run`: what would be read and written. */
import type { Plan } from '../../config/plan.js';
import { dryRun } from '../../engine/dry-run.js';
import { ExitCode } from '../exit-codes.js';
import { registryModule } from '../plugins.js';
import { formatValue, groupDigits } from '../units.js';
import type { Call } from '../verb.js';

/** More paths than that would hide the rest. */
const SHOWN_PATHS = 20;

/** @returns the exit code */
export async function showDryRun(plan: Plan, call: Call): Promise<number> {
  const { inputs, outputs } = await dryRun(plan, registryModule);
  if (call.flag('json')) {
    const shown = outputs.map((destinations) => (destinations === undefined ? {} : { destinations }));
    call.out.json({ version: 1, pipeline: plan.name, isDryRun: true, inputs, outputs: shown });
    return ExitCode.ok;
  }
  const { count, bytes, names } = inputs;
  const known = [
    count === undefined ? 'not known yet' : groupDigits(count),
    bytes === undefined ? '' : formatValue(bytes, 'bytes'),
  ];
  call.out.line({ text: 'inputs ', style: 'bold' }, known.filter((part) => part !== '').join(', '));
  listPaths(names ?? [], call);
  for (const [index, { sink, codec }] of plan.outputs.entries()) {
    const destinations = outputs[index];
    const number = destinations === undefined ? 'known when the inputs are read' : groupDigits(destinations.length);
    call.out.line({ text: 'outputs ', style: 'bold' }, `${sink.plugin} ${codec.plugin}: ${number}`);
    listPaths(destinations ?? [], call);
  }
  call.out.line('no input was read, nothing was written');
  return ExitCode.ok;
}

function listPaths(paths: readonly string[], call: Call): void {
  for (const path of paths.slice(0, SHOWN_PATHS)) call.out.line(`  ${path}`);
  if (paths.length > SHOWN_PATHS) call.out.line(`  … and ${paths.length - SHOWN_PATHS} more`);
}
