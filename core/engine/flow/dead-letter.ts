/**
 * The dead-letter folder: for every bad item its bytes as they came, and a JSON that says what is wrong with them. Names come from
 * the content, so that a second run over the same items writes the same files.
 */
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { makeFolder } from '../../binary/folder.js';
import { Budget, type Limits } from '../../formats/limits.js';
import type { ItemFailure } from '../contract/errors.js';
import type { SourceItem } from '../contract/plugin.js';
import { writeFileAtomically } from '../outputs/atomic-file.js';
import { readItem } from '../tasks/read-item.js';

/** What stands in the JSON: schemas/dead-letter.schema.json. */
export interface DeadLetter extends ItemFailure {
  readonly version: 1;
  readonly pipeline: string;
  /** Of the item's bytes; absent when they could not be read. */
  readonly sha256?: string;
  readonly size?: number;
  /** The file beside this one that holds the bytes. */
  readonly bytes?: string;
  /** Why there is none. */
  readonly unkept?: string;
}

/** @returns path of the JSON */
export async function writeDeadLetter(
  folder: string,
  pipeline: string,
  failure: ItemFailure,
  item: SourceItem | undefined,
  limits: Limits,
): Promise<string> {
  makeFolder(folder);
  const kept: Kept = item === undefined ? {} : await keepBytes(folder, item, limits).catch(whyNot);
  const name = kept.bytes ?? `${hexDigest(Buffer.from(failure.uri)).slice(0, KEY_LENGTH)}-${safeName(failure.uri)}`;
  const letter: DeadLetter = { version: 1, pipeline, ...failure, ...kept };
  const path = join(folder, `${name}.error.json`);
  await writeFileAtomically(path, [Buffer.from(`${JSON.stringify(letter, undefined, 2)}\n`)]);
  return path;
}

const KEY_LENGTH = 12;

const hexDigest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

type Kept = Pick<DeadLetter, 'sha256' | 'size' | 'bytes' | 'unkept'>;

const whyNot = (error: Error): Kept => ({ unkept: error.message });

async function keepBytes(folder: string, item: SourceItem, limits: Limits): Promise<Kept> {
  const { uri } = item;
  const content = await readItem(item, new Budget(limits));
  const { source } = content;
  try {
    if (source instanceof Uint8Array) {
      const sha256 = hexDigest(source);
      const bytes = `${sha256.slice(0, KEY_LENGTH)}-${safeName(uri)}`;
      await writeFileAtomically(join(folder, bytes), [source]);
      return { sha256, size: source.length, bytes };
    }
    // A large file is copied as it is read, so its digest is known too late to name it.
    const bytes = `${hexDigest(Buffer.from(uri)).slice(0, KEY_LENGTH)}-${safeName(uri)}`;
    const size = await writeFileAtomically(join(folder, bytes), source);
    return { sha256: Buffer.from(content.digest()).toString('hex'), size, bytes };
  } finally {
    await content.close();
  }
}

/** A base name that is one path component on every system, at most 100 characters. */
function safeName(uri: string): string {
  const name = basename(uri)
    .replace(/[^A-Za-z0-9._-]+/g, '_')
    .slice(-100);
  return name === '' || name === '-' ? 'stdin' : name;
}
