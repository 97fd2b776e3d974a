/** Frames that a source gives as rows of numbers: their texts are in tables of bytes, as the compiler wrote them. */
import { addFrame, frameCount } from './frames';
import { answer } from './lines';
import { EMPTY } from './text';

/** As core/binary/symbols/source.ts has them. */
class Row {
  nameOffset!: u32;
  fileOffset!: u32;
  line!: i32;
  startLine!: i32;
}

const NO_FILE: u32 = 0xffffffff;
const QUOTE: i8 = 0x22;
const BACKSLASH: i8 = 0x5c;
const UNDERSCORE = 0x5f;
const DEL: i8 = 0x7f;
const SPACE: i8 = 0x20;
const LANES: usize = 16;
/** What is longer is for the host. */
const MAX_TEXT_BYTES: usize = 1 << 12;

/**
 * Answers lines by their rows, but for those that are not answered, and those whose texts must not be written as they are.
 * @param counts i32 for each line: its rows, or UNANSWERED
 * @param names, files tables of texts that end with a NUL, with 16 bytes behind them that are no part of a text
 */
export function addRows(firstLine: u32, lineCount: u32, counts: usize, rows: usize, names: usize, files: usize): void {
  let next = rows;
  for (let index: u32 = 0; index < lineCount; index++) {
    const count = load<i32>(counts + index * sizeof<i32>());
    if (count < 0) continue;
    const first = next;
    next += usize(count) * offsetof<Row>();
    if (!arePlain(first, next, names, files)) continue;
    answer(firstLine + index, frameCount, count);
    for (let at = first; at < next; at += offsetof<Row>()) {
      const row = changetype<Row>(at);
      const file = row.fileOffset === NO_FILE ? EMPTY : files + row.fileOffset;
      addFrame(names + row.nameOffset, 0, file, f64(row.line), 0, f64(row.startLine));
    }
  }
}

function arePlain(first: usize, end: usize, names: usize, files: usize): bool {
  for (let at = first; at < end; at += offsetof<Row>()) {
    const row = changetype<Row>(at);
    const name = names + row.nameOffset;
    // It may be one for linkers.
    if (load<u8>(name) === UNDERSCORE || !isPlain(name)) return false;
    if (row.fileOffset === NO_FILE) continue;
    const file = files + row.fileOffset;
    // Without a file there is no line either.
    if (load<u8>(file) === 0 || !isPlain(file)) return false;
  }
  return true;
}

/** Whether a text is the same in all forms: not too long, of printable ASCII without quotes and backslashes. */
function isPlain(text: usize): bool {
  for (let at: usize = 0; at < MAX_TEXT_BYTES; at += LANES) {
    const bytes = v128.load(text + at);
    // Those from 0x80 on are negative.
    const isLow = i8x16.lt_s(bytes, i8x16.splat(SPACE));
    const isMark = v128.or(i8x16.eq(bytes, i8x16.splat(QUOTE)), i8x16.eq(bytes, i8x16.splat(BACKSLASH)));
    const isDel = i8x16.eq(bytes, i8x16.splat(DEL));
    const special = i8x16.bitmask(v128.or(isLow, v128.or(isMark, isDel)));
    if (special !== 0) return load<u8>(text + at + ctz(special)) === 0;
  }
  return false;
}
