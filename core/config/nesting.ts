/**
 * How deep a YAML text nests, without parsing it. The YAML library recurses per level: ten thousand brackets can end the whole
 * process (V8 compiles a regular expression at the edge of the stack: nothing to catch), so text is measured first.
 *
 * An upper bound that is exact for what people write: quotes are not understood, so 64 brackets opened inside of one string
 * and never closed count as depth.
 */
export function deepestNesting(text: string): { readonly depth: number; readonly line: number } {
  let deepest = { depth: 0, line: 1 };
  let brackets = 0;
  let line = 0;
  /** Columns where the block collections around this line begin. */
  const columns: number[] = [];
  const measure = () => {
    const depth = columns.length - 1 + brackets;
    if (depth > deepest.depth) deepest = { depth, line };
  };
  for (const content of text.split('\n')) {
    line++;
    let column = 0;
    for (; column < content.length; column++) {
      if (isIndicator(content, column)) pushColumn(columns, column);
      else if (content[column] !== ' ' && content[column] !== '\t') break;
    }
    if (column < content.length && content[column] !== '#') pushColumn(columns, column);
    measure();
    for (; column < content.length; column++) {
      const character = content[column]!;
      if (character === '#' && (column === 0 || content[column - 1] === ' ')) break;
      if (character === '[' || character === '{') brackets++;
      else if ((character === ']' || character === '}') && brackets > 0) brackets--;
      measure();
    }
  }
  return deepest;
}

/** `- `, `? ` and `: ` begin a collection or a value in the same line. */
function isIndicator(content: string, column: number): boolean {
  const character = content[column];
  const next = content[column + 1];
  const isAlone = next === undefined || next === ' ' || next === '\t' || next === '\r';
  return isAlone && (character === '-' || character === '?' || character === ':');
}

function pushColumn(columns: number[], column: number): void {
  while (columns.length > 0 && columns[columns.length - 1]! >= column) columns.pop();
  columns.push(column);
}
