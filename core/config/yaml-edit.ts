/** Values put into a YAML file by path; comments, order and style of all else stay. */
import { parseDocument } from 'yaml';

export interface YamlEdit {
  /** Keys and indexes; maps on the way are made. */
  readonly path: readonly (string | number)[];
  /** Plain data; undefined takes the entry away. */
  readonly value: unknown;
}

/** @param text that `readYaml` found nothing wrong with */
export function editYaml(text: string, edits: readonly YamlEdit[]): string {
  const document = parseDocument(text, { intAsBigInt: true });
  for (const { path, value } of edits) {
    if (value === undefined) document.deleteIn(path);
    else document.setIn(path, document.createNode(value));
  }
  return document.toString({ lineWidth: 0 });
}
