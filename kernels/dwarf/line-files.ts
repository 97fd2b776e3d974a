/**
 * Folders and files that headers of line programs list. Source: DWARF 5, 6.2.4 and 6.2.4.1; DWARF 2 to 4, 6.2.4. Texts are the host's: an
 * entry says where its path is.
 */
import { FILES_TRUNCATED, FORM_NOT_KNOWN, INDIRECT, LEB, UNKNOWN } from '../../core/formats/dwarf/kernel-codes';
import { Block, reserve } from './block';
import { readNumber } from './die';
import { layoutOf, skipVariable } from './forms';
import { fail } from './imports';
import { input } from './input';
import { next, readUnsigned, skip } from './leb128';
import { FORM_INDIRECT, IMPLICIT_CONST, STRING } from './numbers';

// Kinds of content, of version 5.
const PATH: u64 = 1;
const FOLDER_INDEX: u64 = 2;

class PathRow {
  /** Of an inline path, where it is, in bytes from the input; else an offset or index, by its form. */
  path!: f64;
  /** 0 for an entry without a path. */
  form!: u32;
  /** Number of the folder. */
  folder!: u32;
}

/** What each entry of a list has. */
class EntryField {
  content!: u64;
  form!: u64;
  layout!: i32;
  padding!: u32;
}

const ROW_BYTES: u32 = u32(offsetof<PathRow>());

const rows = changetype<Block>(memory.data(offsetof<Block>(), 8));
/** A list says their number in one byte. */
const fields: usize = memory.data(256 * offsetof<EntryField>(), 8);
let fieldCount: u32 = 0;

/** Folders come before files. */
export let folderCount: u32 = 0;
export let pathCount: u32 = 0;

/** Where the rows are. */
export function pathRows(): usize {
  return rows.address;
}

/**
 * Reads both lists of a header. Throws for one that goes on behind it.
 * @param at the first byte of them @param end of the header @param layouts of the forms of version 5; 0 before that
 */
export function readLineFiles(at: usize, end: usize, layouts: usize): void {
  folderCount = pathCount = 0;
  checkWithin(at, end);
  if (layouts !== 0) {
    at = readEntries(at, end, layouts);
    folderCount = pathCount;
    readEntries(at, end, layouts);
    return;
  }
  for (; isText(at, end); at = skipText(at, end)) addPath(STRING, f64(at - input), 0);
  folderCount = pathCount;
  for (at++; isText(at, end); ) {
    const behind = skipText(at, end);
    addPath(STRING, f64(at - input), folderNumber(f64(readUnsigned(behind))));
    // Time and size follow.
    at = skip(skip(next));
  }
}

function isText(at: usize, end: usize): bool {
  checkWithin(at, end);
  return at < end && load<u8>(at) !== 0;
}

function skipText(at: usize, end: usize): usize {
  while (at < end && load<u8>(at) !== 0) at++;
  return at + 1;
}

/** @returns behind the list */
function readEntries(at: usize, end: usize, layouts: usize): usize {
  at = readEntryFields(at, end, layouts);
  const count = readUnsigned(at);
  at = next;
  for (let left = count; left > 0; left--) {
    const before = at;
    at = readEntry(at, end, layouts);
    // Entries without bytes could be counted for ever.
    if (at === before) at = end + 1;
    checkWithin(at, end);
  }
  return at;
}

/** @returns behind what each entry is said to have */
function readEntryFields(at: usize, end: usize, layouts: usize): usize {
  fieldCount = 0;
  for (let left = u32(load<u8>(at++)); left > 0; left--) {
    checkWithin(at, end);
    const field = changetype<EntryField>(fields + fieldCount++ * u32(offsetof<EntryField>()));
    field.content = readUnsigned(at);
    field.form = readUnsigned(next);
    field.layout = layoutOf(layouts, field.form);
    at = next;
    if (field.layout === UNKNOWN) fail(FORM_NOT_KNOWN, u32(at - input), f64(field.form));
  }
  return at;
}

function readEntry(at: usize, end: usize, layouts: usize): usize {
  let form: u32 = 0;
  let path: f64 = 0;
  let folder: u32 = 0;
  for (let index: u32 = 0; index < fieldCount && at <= end; index++) {
    const field = changetype<EntryField>(fields + index * u32(offsetof<EntryField>()));
    const content = field.content;
    const layout = field.layout;
    const isNumber = layout === LEB || (layout > 0 && layout <= 8);
    let value = f64(at - input);
    if (isNumber) value = layout === LEB ? f64(readUnsigned(at)) : readNumber(at, layout);
    if (content === FOLDER_INDEX && isNumber) {
      folder = folderNumber(value);
    } else if (content === PATH && (isNumber || field.form === u64(STRING))) {
      form = u32(field.form);
      path = value;
    }
    if (layout >= 0) at += layout;
    else if (layout === INDIRECT) at = skipIndirect(at, end, layouts);
    else at = skipVariable(at, end, layout);
  }
  addPath(form, path, folder);
  return at;
}

/** Over a value whose form stands before it. */
function skipIndirect(at: usize, end: usize, layouts: usize): usize {
  const form = readUnsigned(at);
  const layout = layoutOf(layouts, form);
  if (form === FORM_INDIRECT || form === IMPLICIT_CONST || layout === UNKNOWN) {
    fail(FORM_NOT_KNOWN, u32(next - input), f64(form));
  }
  return layout >= 0 ? next + layout : skipVariable(next, end, layout);
}

/** No table has as many folders as do not fit. */
function folderNumber(value: f64): u32 {
  return u32(min(value, f64(u32.MAX_VALUE)));
}

function addPath(form: u32, path: f64, folder: u32): void {
  const bytes = pathCount * ROW_BYTES;
  reserve(rows, bytes, u64(bytes) + ROW_BYTES);
  const row = changetype<PathRow>(rows.address + bytes);
  row.path = path;
  row.form = form;
  row.folder = folder;
  pathCount++;
}

function checkWithin(at: usize, end: usize): void {
  if (at > end) fail(FILES_TRUNCATED, u32(end - input), 0);
}
