/**
 * Entries of .eh_frame and .debug_frame: common information (CIE) and frame descriptions (FDE).
 * Source: DWARF 5, 6.4.1; Linux Standard Base Core 5.0, "Exception Frames"; arm64's letters: AADWARF64, 4.2.
 * Not supported: segment selectors, 32-bit targets.
 */
import { FormatError } from '../errors.js';
import { CfiCursor } from './cursor.js';
import { PlainFrames } from './plain-frames.js';
import { PointerEncoding, readPointer, readPointerLength } from './pointer.js';
import type { CfiSection } from './section.js';

/** A CIE, fields in the order of the standard. */
export interface CommonEntry {
  /** Offset into the section. */
  readonly offset: number;
  readonly version: number;
  /** "zPLR": the letters say what `augmentation` data there is. */
  readonly augmentation: string;
  readonly codeAlignment: number;
  readonly dataAlignment: number;
  /** Number of the column that stands for the return address. */
  readonly returnAddressRegister: number;
  /** How FDEs write the addresses of code. */
  readonly pointerEncoding: number;
  /** The frame is that of a signal: it was interrupted, not called ("S"). */
  readonly isSignalFrame: boolean;
  /** Offsets into the section. */
  readonly instructionsStart: number;
  readonly instructionsEnd: number;
}

/** An FDE. */
export interface FrameEntry {
  readonly offset: number;
  readonly common: CommonEntry;
  /** Object address, and bytes of code from there. */
  readonly start: number;
  readonly size: number;
  readonly instructionsStart: number;
  readonly instructionsEnd: number;
}

/** One entry's frame: where it lies and which CIE it refers to. */
interface EntryHead {
  readonly offset: number;
  /** Offset of the first byte behind the entry. */
  readonly end: number;
  /** Offset of its CIE; undefined for a CIE itself. */
  readonly commonOffset: number | undefined;
  /** Offset of what follows the head. */
  readonly body: number;
}

const EXTENDED_LENGTH = 0xffffffff;
const CIE_ID_32 = 0xffffffff;
const CIE_ID_64 = 0xffffffffffffffffn;

/** Reads the entries of one section; CIEs are read once. */
export class EntryReader {
  readonly section: CfiSection;
  readonly #commons = new Map<number, CommonEntry | FormatError>();

  constructor(section: CfiSection) {
    this.section = section;
  }

  /**
   * All FDEs in the order of the section. One that is spoilt is handed to `onFault` and left out; a spoilt length ends the section,
   * since nothing says where the next entry begins.
   */
  *entries(onFault: (fault: FormatError) => void): Generator<FrameEntry> {
    for (let offset = 0; offset < this.section.bytes.length; ) {
      const { entry, end } = this.#next(offset, onFault);
      if (entry !== undefined) yield entry;
      offset = end;
    }
  }

  /** Where the code of each of them lies: object address and bytes. */
  forEachRange(
    onRange: (start: number, size: number, offset: number) => void,
    onFault: (fault: FormatError) => void,
  ): void {
    const plain = new PlainFrames(this.section);
    for (let offset = 0; offset < this.section.bytes.length; ) {
      let end = plain.read(offset);
      if (end > 0) onRange(plain.start, plain.size, offset);
      else {
        const next = this.#next(offset, onFault);
        if (next.entry !== undefined) {
          plain.learn(next.entry.common);
          onRange(next.entry.start, next.entry.size, offset);
        }
        end = next.end;
      }
      offset = end;
    }
  }

  /** The CIEs that entries have referred to so far, without those that are spoilt; in order of offset. */
  commons(): CommonEntry[] {
    const whole = [...this.#commons.values()].flatMap((common) => (common instanceof FormatError ? [] : [common]));
    return whole.sort((a, b) => a.offset - b.offset);
  }

  /** @throws FormatError for anything but an FDE at that offset */
  frameAt(offset: number): FrameEntry {
    const head = this.#head(offset);
    if (head?.commonOffset === undefined) {
      throw new FormatError('E_CFI_FDE', 'no frame description here', { section: this.section.name, offset });
    }
    return this.#frame(head, head.commonOffset);
  }

  /** What begins at an offset, if it is an FDE, and the offset behind it; behind the last that is the section's end. */
  #next(
    offset: number,
    onFault: (fault: FormatError) => void,
  ): { readonly entry: FrameEntry | undefined; readonly end: number } {
    const { bytes, endsAtTerminator } = this.section;
    let end = bytes.length;
    try {
      const head = this.#head(offset);
      if (head === undefined) return { entry: undefined, end: endsAtTerminator === true ? end : offset + 4 };
      end = head.end;
      const entry = head.commonOffset === undefined ? undefined : this.#frame(head, head.commonOffset);
      return { entry, end };
    } catch (error) {
      onFault(asFormatError(error));
      return { entry: undefined, end };
    }
  }

  /** @returns undefined for a length of 0 @throws FormatError E_TRUNCATED */
  #head(offset: number): EntryHead | undefined {
    const { bytes, name, isEhFrame } = this.section;
    const cursor: CfiCursor = new CfiCursor(bytes, name, offset);
    let length = cursor.u32();
    if (length === 0) return undefined;
    const isWide = length === EXTENDED_LENGTH;
    if (isWide) {
      const wide = cursor.u64();
      if (wide > BigInt(bytes.length))
        cursor.fail('E_TRUNCATED', 'entry ends behind the section', `0x${wide.toString(16)}`);
      length = Number(wide);
    }
    const idOffset = cursor.offset;
    const end = idOffset + length;
    if (end > bytes.length) cursor.fail('E_TRUNCATED', 'entry ends behind the section', length);
    cursor.end = end;
    if (isEhFrame) {
      // The CIE pointer counts back from itself.
      const id = cursor.u32();
      return { offset, end, commonOffset: id === 0 ? undefined : idOffset - id, body: cursor.offset };
    }
    const id = isWide ? cursor.u64() : cursor.u32();
    const isCommon = id === CIE_ID_32 || id === CIE_ID_64;
    return { offset, end, commonOffset: isCommon ? undefined : Number(id), body: cursor.offset };
  }

  #frame({ offset, end, body }: EntryHead, commonOffset: number): FrameEntry {
    const { section } = this;
    const common = this.#common(commonOffset, offset);
    const cursor: CfiCursor = new CfiCursor(section.bytes, section.name, body, end);
    const start = readPointer(cursor, section, common.pointerEncoding);
    const size = readPointerLength(cursor, common.pointerEncoding);
    if (start === undefined) cursor.fail('E_CFI_POINTER', 'address of code is not in the file', common.pointerEncoding);
    if (size < 0) cursor.fail('E_CFI_FDE', 'code of negative size', size);
    if (common.augmentation.startsWith('z')) cursor.skip(cursor.uleb());
    return { offset, common, start, size, instructionsStart: cursor.offset, instructionsEnd: end };
  }

  #common(offset: number, from: number): CommonEntry {
    let common = this.#commons.get(offset);
    if (common === undefined) {
      try {
        common = this.#readCommon(offset, from);
      } catch (error) {
        common = asFormatError(error);
      }
      this.#commons.set(offset, common);
    }
    if (common instanceof FormatError) throw common;
    return common;
  }

  #readCommon(offset: number, from: number): CommonEntry {
    const { section } = this;
    const { name } = section;
    const head = offset >= 0 && offset < section.bytes.length ? this.#head(offset) : undefined;
    if (head === undefined || head.commonOffset !== undefined) {
      throw new FormatError('E_CFI_CIE', 'frame description refers to what is no CIE', {
        section: name,
        offset: from,
        got: offset,
      });
    }
    const cursor: CfiCursor = new CfiCursor(section.bytes, name, head.body, head.end);
    const version = cursor.u8();
    if (version !== 1 && version !== 3 && version !== 4) {
      cursor.fail('E_CFI_VERSION', 'CIE version not supported (1, 3, 4)', version);
    }
    const augmentation = readLetters(cursor);
    if (augmentation.startsWith('eh')) cursor.skip(8); // GCC 2's exception table
    if (version === 4) {
      const addressBytes = cursor.u8();
      const segmentBytes = cursor.u8();
      if (addressBytes !== 8 || segmentBytes !== 0) {
        cursor.fail('E_CFI_ADDRESS_SIZE', 'only addresses of 8 bytes without segments', addressBytes);
      }
    }
    const codeAlignment = cursor.uleb();
    const dataAlignment = cursor.sleb();
    const returnAddressRegister = version === 1 ? cursor.u8() : cursor.uleb();
    const { pointerEncoding, isSignalFrame } = readAugmentation(cursor, section, augmentation);
    return {
      offset,
      version,
      augmentation,
      codeAlignment,
      dataAlignment,
      returnAddressRegister,
      pointerEncoding,
      isSignalFrame,
      instructionsStart: cursor.offset,
      instructionsEnd: head.end,
    };
  }
}

const NUL = 0;

function readLetters(cursor: CfiCursor): string {
  let text = '';
  for (let letter = cursor.u8(); letter !== NUL; letter = cursor.u8()) {
    if (text.length === 16) cursor.fail('E_CFI_AUGMENTATION', 'augmentation of more than 16 letters');
    text += String.fromCharCode(letter);
  }
  return text;
}

/** Leaves the cursor behind the augmentation's data. */
function readAugmentation(
  cursor: CfiCursor,
  section: CfiSection,
  augmentation: string,
): { readonly pointerEncoding: number; readonly isSignalFrame: boolean } {
  let pointerEncoding: number = PointerEncoding.absolute;
  let isSignalFrame = false;
  if (augmentation === '' || augmentation === 'eh') return { pointerEncoding, isSignalFrame };
  // Without "z" nothing says how long unknown data is.
  if (!augmentation.startsWith('z')) cursor.fail('E_CFI_AUGMENTATION', 'unknown augmentation', augmentation);
  const length = cursor.uleb();
  const dataEnd = cursor.offset + length;
  if (dataEnd > cursor.end) cursor.truncated(length);
  for (const letter of augmentation.slice(1)) {
    if (letter === 'R') pointerEncoding = cursor.u8();
    else if (letter === 'P') readPointer(cursor, section, cursor.u8());
    else if (letter === 'L') cursor.u8();
    else if (letter === 'S') isSignalFrame = true;
    // B: return addresses are signed with the second key; G: tagged stacks. Neither has data.
    else if (letter !== 'B' && letter !== 'G') break;
  }
  if (cursor.offset > dataEnd) cursor.fail('E_CFI_AUGMENTATION', 'augmentation data longer than it says', augmentation);
  cursor.offset = dataEnd;
  return { pointerEncoding, isSignalFrame };
}

function asFormatError(error: unknown): FormatError {
  if (error instanceof FormatError) return error;
  throw error;
}
