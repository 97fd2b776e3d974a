/** Names and encodings. */

import {
  ANONYMOUS_NAMESPACE,
  BINDING,
  CONSTRAINED,
  CONSTRUCTION_VTABLE,
  CONSTRUCTOR,
  CONVERSION,
  DEFAULT_ARGUMENT,
  DESTRUCTOR,
  FUNCTION_ENCODING,
  IN_MODULE,
  LAMBDA,
  LITERAL_OPERATOR,
  NESTED,
  OPERATOR,
  REFERENCE_TEMPORARY,
  SPECIAL,
  TAGGED,
  TEMPLATE,
  TEXT,
  UNNAMED,
  VENDOR_OPERATOR,
  WELL_KNOWN,
  WELL_KNOWN_CLASS,
  WORD,
} from './kinds';
import { asNode, listLength, listMember, Node } from './nodes';
import { lastCharacter, write, writeBytes, writeNumber } from './output';
import { bind, bindAgain, bindLambda } from './packs';
import { PARAMETERS, RETURN_TYPES, TEMPLATES } from './parts';
import { parts, print, printField, printLeft, printList, printRight, restoreParts, writeAllParts } from './print';
import { hasRightPart, printQualifiers } from './print-types';
import { constructorName, fullName, usualName } from './substitutions';

const LESS: u32 = 0x3c;
const GREATER: u32 = 0x3e;

export function isName(kind: u32): bool {
  return kind <= REFERENCE_TEMPORARY;
}

export function printName(node: Node): void {
  switch (node.kind) {
    case TEXT:
      writeBytes(node.first, node.second);
      break;
    case WORD:
      write(changetype<string>(node.first));
      break;
    case ANONYMOUS_NAMESPACE:
      write('(anonymous namespace)');
      break;
    case NESTED:
      printNested(node);
      break;
    case TEMPLATE:
      printField(node.first);
      if (parts & TEMPLATES) printTemplateArguments(node.second);
      break;
    case TAGGED:
      printField(node.first);
      write('[abi:');
      printField(node.second);
      write(']');
      break;
    case IN_MODULE:
      printInModule(node);
      break;
    case WELL_KNOWN:
      write(usualName(node.detail));
      break;
    case WELL_KNOWN_CLASS:
      write(constructorName(node.detail));
      break;
    case DESTRUCTOR:
      write('~');
      printField(node.first);
      break;
    case CONSTRUCTOR:
      printField(node.first);
      break;
    case OPERATOR:
      write('operator');
      write(changetype<string>(node.first));
      break;
    case CONVERSION:
    case VENDOR_OPERATOR:
      write('operator ');
      printField(node.first);
      break;
    case LITERAL_OPERATOR:
      write('operator"" ');
      printField(node.first);
      break;
    case LAMBDA:
      printLambda(node);
      break;
    case UNNAMED:
      write('{unnamed type#');
      writeNumber(node.detail);
      write('}');
      break;
    case BINDING:
      write('[');
      printList(node.first);
      write(']');
      break;
    case DEFAULT_ARGUMENT:
      write('{default arg#');
      writeNumber(node.detail);
      write('}::');
      printField(node.first);
      break;
    default:
      printEncoding(node);
  }
}

function printNested(node: Node): void {
  const outer = asNode(node.first);
  if (outer.kind === WELL_KNOWN && isConstructor(asNode(node.second))) printClass(outer.detail);
  else print(outer);
  write('::');
  printField(node.second);
}

/** Where an abbreviation's constructor is named, what it stands for is written. */
function printClass(abbreviation: u32): void {
  if (parts & TEMPLATES) {
    write(fullName(abbreviation));
    return;
  }
  write('std::');
  write(constructorName(abbreviation));
}

function isConstructor(name: Node): bool {
  let node = name;
  while (node.kind === TAGGED || node.kind === TEMPLATE) node = asNode(node.first);
  return node.kind === CONSTRUCTOR || node.kind === DESTRUCTOR;
}

function printTemplateArguments(list: usize): void {
  const before = writeAllParts();
  if (lastCharacter() === LESS) write(' ');
  write('<');
  printList(list);
  if (lastCharacter() === GREATER) write(' ');
  write('>');
  restoreParts(before);
}

function printInModule(node: Node): void {
  if (node.first !== 0) {
    printField(node.first);
    write('@');
  }
  const length = listLength(node.second);
  for (let index: u32 = 0; index < length; index++) {
    const part = listMember(node.second, index);
    if (part.detail !== 0) write(':');
    else if (index > 0) write('.');
    print(part);
  }
}

function printLambda(node: Node): void {
  const before = writeAllParts();
  const outer = bindLambda();
  write('{lambda');
  if (listLength(node.first) > 0) {
    write('<');
    printList(node.first);
    write('>');
  }
  write('(');
  printList(node.second);
  write(')#');
  bindAgain(outer);
  writeNumber(node.detail);
  write('}');
  restoreParts(before);
}

function printEncoding(node: Node): void {
  switch (node.kind) {
    case FUNCTION_ENCODING:
      printFunction(node);
      break;
    case CONSTRAINED:
      printField(node.first);
      if (parts & PARAMETERS) {
        write(' requires ');
        printField(node.second);
      }
      break;
    case SPECIAL:
      write(changetype<string>(node.first));
      printField(node.second);
      break;
    case CONSTRUCTION_VTABLE:
      write('construction vtable for ');
      printField(node.first);
      write('-in-');
      printField(node.second);
      break;
    case REFERENCE_TEMPORARY:
      write('reference temporary #');
      writeNumber(node.detail);
      write(' for ');
      printField(node.first);
      break;
  }
}

function printFunction(node: Node): void {
  const outer = bind(node.fourth);
  const hasReturn = node.first !== 0 && (parts & RETURN_TYPES) !== 0;
  const returned = asNode(node.first);
  if (hasReturn) {
    printLeft(returned);
    if (!hasRightPart(returned)) write(' ');
  }
  printField(node.second);
  if (parts & PARAMETERS) {
    write('(');
    printList(node.third);
    write(')');
  }
  if (hasReturn && hasRightPart(returned)) printRight(returned);
  if (parts & PARAMETERS) printQualifiers(node.detail);
  bindAgain(outer);
}
