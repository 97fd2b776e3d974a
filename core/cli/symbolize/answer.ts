/** What `pipe binary symbolize` prints for an address. Made by hand: JSON.stringify of whole answers takes as long as finding them. */
import type { SymbolFrame } from '../../binary/symbols/source.js';
import { escapeJson, escapeText } from '../escape.js';

/** Each answer is whole lines, safe to print, with a newline at the end. */
export interface Answers {
  /** @param frames innermost first; none where nothing is known */
  frames(address: bigint, frames: readonly SymbolFrame[]): string;
  /** Of a line that is no address: the same as for one of which nothing is known. */
  none(line: string): string;
}

const UNKNOWN = '??';

/** One object a line: {"address", "frames": [{"function", "systemName"?, "file", "line", "column", "startLine", "inlined"}]}, innermost first. */
export function jsonAnswers(): Answers {
  const kept = new Map<string, string>();
  const quoted = (text: string): string => {
    let found = kept.get(text);
    if (found === undefined) {
      found = quote(text);
      if (kept.size === MAX_KEPT) kept.clear();
      kept.set(text, found);
    }
    return found;
  };
  return {
    frames(address, frames) {
      let text = `{"address":"0x${address.toString(16)}","frames":[`;
      const last = frames.length - 1;
      for (let row = 0; row <= last; row++) {
        const { function: name, systemName, file, line, column, startLine } = frames[row]!;
        const system = systemName === name ? '' : `"systemName":${quoted(systemName)},`;
        text +=
          `${row === 0 ? '' : ','}{"function":${quoted(name)},${system}"file":${quoted(file)},"line":${line},` +
          `"column":${column},"startLine":${startLine},"inlined":${row < last}}`;
      }
      return `${text}]}\n`;
    },
    none: (line) => `{"address":${quoted(line)},"frames":[]}\n`,
  };
}

/**
 * As llvm-symbolizer prints it: function and place of each frame on two lines, and an empty line.
 * @param withAddress whether the address stands before them, as with llvm-symbolizer's --addresses
 */
export function textAnswers(withAddress: boolean): Answers {
  const safe = (text: string) => (text === '' ? UNKNOWN : escapeText(text));
  const none = `${UNKNOWN}\n${UNKNOWN}:0:0\n\n`;
  return {
    frames(address, frames) {
      let text = withAddress ? `0x${address.toString(16)}\n` : '';
      for (const { function: name, file, line, column } of frames) {
        text += `${safe(name)}\n${safe(file)}:${line}:${column}\n`;
      }
      return text + (frames.length === 0 ? none : '\n');
    },
    none: (line) => (withAddress ? `${escapeText(line)}\n` : '') + none,
  };
}

/** Names and paths that are kept with their quotes; then they are gathered anew. */
const MAX_KEPT = 1 << 14;

/** Printable ASCII without quotes and backslashes, as nearly all names and paths are. */
const PLAIN = /^[ !#-[\]-~]*$/;

function quote(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : escapeJson(JSON.stringify(text));
}
