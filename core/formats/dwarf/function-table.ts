/** Which functions of a unit have code, and where. */
import { AddressRanges } from './address-ranges.js';
import { FieldSet } from './field.js';
import { DieFields } from './field-plan.js';
import { skipVariable } from './form.js';
import { RangeBuffer } from './range-list.js';
import type { Unit } from './unit.js';

/**
 * Ranges of the code of every function, owned by the position of its DIE. Every DIE is looked at: functions stand in
 * namespaces, classes and other functions.
 * @throws FormatError for a spoilt unit
 */
export function readFunctions(unit: Unit): AddressRanges {
  const { cursor, encoding, abbreviations, dead } = unit;
  const { bytes } = cursor;
  const { dense } = abbreviations;
  const die = new DieFields();
  const ranges = new RangeBuffer();
  const functions = new AddressRanges();
  const end = bytes.length;
  cursor.position = encoding.bytes;
  while (cursor.position < end) {
    const position = cursor.position;
    let code = bytes[position]!;
    if (code < 0x80) cursor.position = position + 1;
    else code = cursor.uleb();
    if (code === 0) continue;
    const abbreviation = dense[code] ?? abbreviations.get(code);
    if (abbreviation.isConcreteFunction) {
      unit.readFields(code, FieldSet.code, die);
      unit.readRanges(die, ranges);
      const { values, length } = ranges;
      for (let index = 0; index < length; index += 2) {
        if (!dead.has(values[index]!)) functions.add(values[index]!, values[index + 1]!, position);
      }
      continue;
    }
    const { skip } = abbreviation;
    for (let index = 0; index < skip.length; index++) {
      const step = skip[index]!;
      if (step >= 0) cursor.position += step;
      else skipVariable(cursor, step, encoding);
    }
  }
  cursor.check();
  functions.sort();
  return functions;
}
