/**
 * Text from outside (file names, function names, labels, error messages) made safe to print. A terminal obeys C0 controls, DEL and the
 * C1 controls (also as UTF-8), and marks that turn the direction of text make a line read as what it is not.
 */
const dangerous = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/gu;

/** Looked for first, since it takes a fraction of the time and most text has no other. */
const notPlain = /[^ -~]/;

/** One line's text: newlines and tabs in it are escaped too, as `\n`, `\t`, `\x1b`, `\u202e`. */
export function escapeText(text: string): string {
  if (!notPlain.test(text)) return text;
  return text.replace(dangerous, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    if (character === '\r') return '\\r';
    const code = character.charCodeAt(0);
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** JSON text that is also safe to print: JSON itself escapes C0 controls only. It stands for the same value. */
export function escapeJson(json: string): string {
  return json.replace(dangerous, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
