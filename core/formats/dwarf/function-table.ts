/** Which functions of a unit have code, and where. */
import { AddressRanges } from './address-ranges.js';
import { Field, FieldSet } from './field.js';
import { DieFields } from './field-plan.js';
import { skipAttributes } from './form.js';
import { RangeBuffer } from './range-list.js';
import type { Unit } from './unit.js';

/**
 * Ranges of the code of every function, owned by the position of its DIE. Every DIE is looked at but for those in inlined
 * calls: functions stand in namespaces, classes and other functions.
 * @throws FormatError for a spoilt unit
 */
export function readFunctions(unit: Unit): AddressRanges {
  const { cursor, encoding, abbreviations } = unit;
  const { bytes } = cursor;
  const { dense } = abbreviations;
  const die = new DieFields();
  const ranges = new RangeBuffer();
  const functions = new AddressRanges();
  const end = bytes.length;
  let position = encoding.bytes;
  while (position < end) {
    const start = position;
    let code = bytes[position++]!;
    if (code === 0) continue;
    if (code >= 0x80) {
      cursor.position = start;
      code = cursor.uleb();
      position = cursor.position;
    }
    const abbreviation = dense[code] ?? abbreviations.get(code);
    if (abbreviation.isConcreteFunction) {
      cursor.position = position;
      unit.readFields(abbreviation, FieldSet.code, die);
      unit.readRanges(die, ranges);
      const { values, length } = ranges;
      for (let index = 0; index < length; index += 2) functions.add(values[index]!, values[index + 1]!, start);
      position = cursor.position;
    } else if (abbreviation.isCallWithSibling) {
      cursor.position = position;
      unit.readFields(abbreviation, FieldSet.sibling, die);
      const sibling = unit.reference(die.forms[Field.sibling]!, die.values[Field.sibling]!);
      position = cursor.position;
      // One that is spoilt is as good as none.
      if (sibling?.unit === unit && sibling.position > position && sibling.position <= end) position = sibling.position;
    } else if (abbreviation.fixedBytes >= 0) {
      position += abbreviation.fixedBytes;
    } else {
      cursor.position = position;
      skipAttributes(cursor, abbreviation.skip, encoding);
      position = cursor.position;
    }
  }
  cursor.position = position;
  cursor.check();
  functions.sort();
  return functions;
}
