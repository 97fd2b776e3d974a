/** What `readelf --debug-dump=frames-interp` prints: the rows of each frame description, as another reader sees them. */

export interface PrintedRow {
  readonly pc: bigint;
  /** "rsp+8", "exp" */
  readonly cfa: string;
  /** By column: "c-16", "u", "exp" … */
  readonly cells: readonly string[];
}

export interface PrintedFrame {
  /** ".eh_frame" or ".debug_frame" */
  readonly section: string;
  /** Into the section. */
  readonly offset: number;
  readonly start: bigint;
  readonly end: bigint;
  /** Registers that have a column. */
  readonly columns: readonly string[];
  /** [] for a description without instructions of its own. */
  readonly rows: readonly PrintedRow[];
}

export function* parseFramesInterp(lines: Iterable<string>): Generator<PrintedFrame> {
  let section = '';
  let frame: { -readonly [Key in keyof PrintedFrame]: PrintedFrame[Key] } | undefined;
  let rows: PrintedRow[] = [];
  for (const line of lines) {
    const contents = /^Contents of the (\S+) section/.exec(line);
    if (contents !== null) section = contents[1]!;
    if (line === '' || contents !== null) {
      if (frame !== undefined) yield frame;
      frame = undefined;
      continue;
    }
    const head = /^([0-9a-f]+) [0-9a-f]+ [0-9a-f]+ FDE .*pc=([0-9a-f]+)\.\.([0-9a-f]+)/.exec(line);
    if (head !== null) {
      if (frame !== undefined) yield frame;
      rows = [];
      frame = {
        section,
        offset: Number.parseInt(head[1]!, 16),
        start: BigInt(`0x${head[2]}`),
        end: BigInt(`0x${head[3]}`),
        columns: [],
        rows,
      };
      continue;
    }
    if (frame === undefined) continue;
    // A value that is in another register is written with its number: "r1 (rdx)".
    const words = line
      .trim()
      .replaceAll(/r\d+ \((\w+)\)/g, '$1')
      .split(/ +/);
    if (words[0] === 'LOC') frame.columns = words.slice(2);
    else rows.push({ pc: BigInt(`0x${words[0]}`), cfa: words[1]!, cells: words.slice(2) });
  }
  if (frame !== undefined) yield frame;
}
