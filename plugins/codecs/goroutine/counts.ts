/**
 * Stacks with counts: goroutines, leaked ones, threads that were created, whatever a program counts with `pprof.NewProfile`.
 *
 *     goroutine profile: total 26
 *     5 @ 0x43a8a5 0x4076ef 0x50d5fe 0x50d5ff 0x50d5de 0x46cee1
 *     # labels: {"kind":"labelled", "shard":"a"}
 *     #   0x50d5fd    main.innermost+0x3d    /src/main.go:28
 *
 * Source: go1.16 … go1.27 runtime/pprof/pprof.go printCountProfile.
 */
import type { LabelSpec, ProfileHeader } from '../../../core/index.js';
import { countHeader } from './collector.js';
import { countsHeader } from './forms.js';
import { parseLabelSet } from './label-set.js';
import { type Line, lineError } from './lines.js';
import { ADDRESSES, parseAddresses, type StackForm, type StackLine } from './stack-form.js';

const stackLine = new RegExp(`^(\\d{1,18}) @${ADDRESSES}$`);
const labelsPrefix = '# labels: ';

export class CountsForm implements StackForm {
  readonly merges = true;
  readonly hidesRuntime = false;
  #type = '';
  #total = 0n;

  get total() {
    return { what: 'goroutines', count: this.#total };
  }

  get header(): ProfileHeader {
    return countHeader(this.#type);
  }

  readHeader(line: Line): void {
    const match = countsHeader.exec(line.text);
    if (match === null) throw lineError(line, '"goroutine profile: total N"');
    this.#type = match[1]!;
    this.#total = BigInt(match[2]!);
  }

  readStack(line: Line): StackLine {
    const match = stackLine.exec(line.text);
    if (match === null) throw lineError(line, '"N @ 0xADDRESS…"');
    const count = BigInt(match[1]!);
    return { count, values: [count], labels: [], addresses: parseAddresses(match[2]!) };
  }

  readComment(line: Line): readonly LabelSpec[] {
    const labels = line.text.startsWith(labelsPrefix) ? parseLabelSet(line.text.slice(labelsPrefix.length)) : undefined;
    if (labels === undefined) throw lineError(line, 'a set of labels below a stack');
    return labels.map(({ key, value }) => ({ key, str: value }));
  }
}
