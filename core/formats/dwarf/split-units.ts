/**
 * Split units: functions that are in `.dwo` files, or in a `.dwp` that has many of them and an index.
 * Source: DWARF 5, 7.3.2, 7.3.5; GNU's version 2 of the index: gcc.gnu.org/wiki/DebugFissionDWP.
 */
import { FormatError } from '../errors.js';
import { IndexColumn, UnitType } from './constants.js';
import { DwarfFile } from './dwarf-file.js';
import { PackageIndex } from './package-index.js';
import type { DebugSections } from './sections.js';
import { Unit } from './unit.js';
import { readUnitHeader } from './unit-header.js';

/** Open `.dwo` files; there is one for each source file of a program. */
const MAX_FILES = 64;

export class SplitUnits {
  readonly #sections: DebugSections;
  readonly #files = new Map<string, DwarfFile | undefined>();
  #package: { readonly file: DwarfFile; readonly index: PackageIndex } | undefined;
  #isPackageRead = false;

  constructor(sections: DebugSections) {
    this.#sections = sections;
  }

  get heldBytes(): number {
    let bytes = this.#package?.file.heldBytes ?? 0;
    for (const file of this.#files.values()) bytes += file?.heldBytes ?? 0;
    return bytes;
  }

  /**
   * The unit that a skeleton stands for; undefined for a unit that is no skeleton.
   * @throws FormatError E_DWARF_SPLIT when there is no such file, or it holds another build's unit
   */
  find(skeleton: Unit): Unit | undefined {
    const { dwoName, dwoId } = skeleton;
    if (dwoName === undefined) return undefined;
    if (dwoId !== undefined) {
      const packaged = this.#findInPackage(skeleton, dwoId);
      if (packaged !== undefined) return packaged;
    }
    const file = this.#file(dwoName, skeleton);
    for (const offset of file?.units.all() ?? []) {
      const header = readUnitHeader(file!.info, offset, file!.infoName);
      if (header.type !== UnitType.compile && header.type !== UnitType.splitCompile) continue;
      const unit = new Unit(file!, header, undefined, skeleton);
      if (unit.dwoId === dwoId) return unit;
    }
    throw new FormatError('E_DWARF_SPLIT', `split unit not found: ${dwoName}`, {
      section: skeleton.file.infoName,
      offset: skeleton.encoding.offset,
      got: dwoId === undefined ? undefined : `DWO id 0x${dwoId.toString(16)}`,
    });
  }

  #findInPackage(skeleton: Unit, dwoId: bigint): Unit | undefined {
    if (!this.#isPackageRead) {
      this.#isPackageRead = true;
      this.#package = this.#openPackage(skeleton);
    }
    if (this.#package === undefined) return undefined;
    const { file, index } = this.#package;
    const row = index.findRow(dwoId);
    if (row === undefined) return undefined;
    const start = (column: number) => index.offset(row, column);
    const header = readUnitHeader(file.info, start(IndexColumn.info), file.infoName);
    const rangeLists = index.version === 5 ? start(IndexColumn.rangeLists) : 0;
    const contributions = {
      abbreviations: start(IndexColumn.abbreviations),
      stringOffsets: start(IndexColumn.stringOffsets),
      rangeLists,
    };
    return new Unit(file, header, contributions, skeleton);
  }

  #openPackage(skeleton: Unit): { file: DwarfFile; index: PackageIndex } | undefined {
    const sections = this.#sections.splitPackage;
    const info = sections?.section('.debug_info.dwo');
    const index = sections?.section('.debug_cu_index');
    if (sections === undefined || info === undefined || index === undefined) return undefined;
    return { file: new DwarfFile(sections, info, skeleton.imageBase, '.dwo'), index: new PackageIndex(index) };
  }

  #file(dwoName: string, { compilationFolder, imageBase }: Unit): DwarfFile | undefined {
    const key = `${compilationFolder}\0${dwoName}`;
    if (this.#files.has(key)) return this.#files.get(key);
    const sections = this.#sections.splitFile?.(dwoName, compilationFolder);
    const info = sections?.section('.debug_info.dwo');
    const file = sections && info && new DwarfFile(sections, info, imageBase, '.dwo');
    if (this.#files.size === MAX_FILES) this.#files.clear();
    this.#files.set(key, file);
    return file;
  }
}
