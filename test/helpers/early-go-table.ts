/** Assembles Go function tables of 1.2 … 1.15: all parts in one, every offset from the table's first byte on. */
import { ByteWriter } from './bytes.js';
import type { FunctionSpec } from './go-binary.js';
import { encodeRanges, type Ranges } from './pc-ranges.js';

/** What differs between versions: number of funcdata words in 4 bytes or 1, places of the inline tree, and its rows. */
const VERSIONS = {
  '1.2': { countBytes: 4, rows: 1, tree: 2 },
  '1.12': { countBytes: 1, rows: 1, tree: 2 },
  '1.13': { countBytes: 1, rows: 2, tree: 4 },
} as const;

export type EarlyVersion = keyof typeof VERSIONS;

export interface EarlyTableSpec {
  readonly version: EarlyVersion;
  readonly quantum: number;
  readonly pointerBytes: 4 | 8;
  readonly functions: readonly FunctionSpec[];
  /** Absolute addresses: of the functions, of the last one's end, and of the trees. */
  readonly entries: readonly bigint[];
  readonly end: bigint;
  readonly treesAddress: bigint;
}

export function buildEarlyTable(spec: EarlyTableSpec): { readonly bytes: Uint8Array; readonly trees: Uint8Array } {
  const { version, functions, entries, pointerBytes } = spec;
  const { countBytes, rows, tree } = VERSIONS[version];
  const indexBytes = 8 + pointerBytes * (2 + 2 * functions.length) + 4;
  const body = new ByteWriter();
  const place = (bytes: Uint8Array): number => {
    const offset = indexBytes + body.length;
    body.append(bytes);
    return offset;
  };
  const text = (value: string) => place(new ByteWriter().cstring(value).finish());
  const word = (writer: ByteWriter, value: bigint | number) =>
    pointerBytes === 8 ? writer.u64(value) : writer.u32(Number(value));
  const files = [...new Set(functions.map(({ file = 'main.go' }) => file))];
  const fileNumber = ({ file = 'main.go' }: FunctionSpec) => files.indexOf(file) + 1;
  const trees = new ByteWriter().padTo(16);

  const records = functions.map((each, index) => {
    const size = each.lines.reduce((sum, [, bytes]) => sum + bytes, 0);
    const table = (ranges: Ranges | undefined) => (ranges === undefined ? 0 : place(encodeRanges(ranges)));
    const treeRows = each.pcdata?.[2];
    const treeAddress = each.inlineTree === undefined ? 0n : spec.treesAddress + BigInt(trees.length);
    for (const { name, parentPc } of each.inlineTree ?? []) {
      if (version === '1.2') trees.u32(valueAt(treeRows!, parentPc), fileNumber(each), valueAt(each.lines, parentPc));
      else trees.u32(0, 0, 0);
      trees.u32(text(name));
      if (version !== '1.2') trees.u32(parentPc);
    }
    const pcdata = Array.from({ length: 3 }, (_, number) => table(number === rows ? treeRows : undefined));
    const funcdata = Array.from({ length: 5 }, (_, number) => (number === tree ? treeAddress : 0n));
    const fixed = [
      text(each.name),
      0,
      0,
      table(each.stackDeltas),
      table([[fileNumber(each), size]]),
      table(each.lines),
    ];
    while ((indexBytes + body.length) % 8 !== 0) body.u8(0);
    const offset = indexBytes + body.length;
    word(body, entries[index]!).u32(...fixed, pcdata.length);
    if (countBytes === 4) body.u32(funcdata.length);
    else body.u8(0, 0, 0, funcdata.length);
    body.u32(...pcdata);
    while ((indexBytes + body.length) % pointerBytes !== 0) body.u8(0);
    for (const address of funcdata) word(body, address);
    return offset;
  });
  const paths = files.map(text);
  const fileTable = place(new ByteWriter().u32(paths.length + 1, ...paths).finish());

  const head = new ByteWriter().u32(0xfffffffb).u8(0, 0, spec.quantum, pointerBytes);
  word(head, functions.length);
  entries.forEach((entry, index) => {
    word(head, entry);
    word(head, records[index]!);
  });
  word(head, spec.end).u32(fileTable);
  return { bytes: head.append(body.finish()).finish(), trees: trees.finish() };
}

function valueAt(ranges: Ranges, at: number): number {
  let end = 0;
  for (const [value, bytes] of ranges) {
    end += bytes;
    if (at < end) return value;
  }
  throw new RangeError(`nothing at ${at}`);
}
