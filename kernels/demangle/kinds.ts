/** Kinds of nodes, and what is in the fields of each. */

// Names.
/** first: address in the mangled name; second: bytes */
export const TEXT: u32 = 1;
/** first: a string; detail: the letter of a builtin type */
export const WORD: u32 = 2;
export const ANONYMOUS_NAMESPACE: u32 = 3;
/** first: the outer name or encoding; second: the inner one */
export const NESTED: u32 = 4;
/** first: name; second: list of arguments */
export const TEMPLATE: u32 = 5;
/** first: name; second: the ABI's tag, TEXT */
export const TAGGED: u32 = 6;
/** first: name or 0; second: list of TEXT, where detail of each says whether it is a partition */
export const IN_MODULE: u32 = 7;
/** detail: of substitutions.ts, as it is usually written */
export const WELL_KNOWN: u32 = 8;
/** detail: the same; what its constructors are called */
export const WELL_KNOWN_CLASS: u32 = 9;
/** first: name of what is constructed */
export const CONSTRUCTOR: u32 = 10;
/** first: the same */
export const DESTRUCTOR: u32 = 11;
/** first: string */
export const OPERATOR: u32 = 12;
/** first: type */
export const CONVERSION: u32 = 13;
/** first: TEXT */
export const LITERAL_OPERATOR: u32 = 14;
/** first: TEXT */
export const VENDOR_OPERATOR: u32 = 15;
/** first: list of template parameters or 0; second: list of types; third: list of constraints; detail: number */
export const LAMBDA: u32 = 16;
/** detail: number */
export const UNNAMED: u32 = 17;
/** first: list of names */
export const BINDING: u32 = 18;
/** first: name; detail: number */
export const DEFAULT_ARGUMENT: u32 = 19;

// Encodings.
/** first: return type or 0; second: name; third: list of types; fourth: list of template arguments or 0; detail: qualifiers */
export const FUNCTION_ENCODING: u32 = 20;
/** first: encoding; second: expression */
export const CONSTRAINED: u32 = 21;
/** first: string in front; second: name or type */
export const SPECIAL: u32 = 22;
/** first: base; second: derived */
export const CONSTRUCTION_VTABLE: u32 = 23;
/** first: name; detail: number */
export const REFERENCE_TEMPORARY: u32 = 24;

// Types.
/** first: type */
export const POINTER: u32 = 25;
/** first: type; detail: 1 of an rvalue */
export const REFERENCE: u32 = 26;
/** first: type; detail: qualifiers */
export const QUALIFIED: u32 = 27;
/** first: type; second: string or node behind it; detail: see types.ts */
export const SUFFIXED: u32 = 28;
/** first: type; second: node of the dimension or 0 */
export const ARRAY: u32 = 29;
/** first: type; second: node of the dimension */
export const VECTOR: u32 = 30;
/** first: return type; second: list of types; third: exception specification or 0; detail: qualifiers */
export const FUNCTION: u32 = 31;
/** first: expression or 0 */
export const NOEXCEPT: u32 = 32;
/** first: list of types */
export const THROWS: u32 = 33;
/** first: class; second: type */
export const MEMBER_POINTER: u32 = 34;
/** first: node of the bits; detail: 1 of unsigned */
export const BIT_INTEGER: u32 = 35;
/** first: string; second: name */
export const ELABORATED: u32 = 36;
/** first: expression */
export const DECLTYPE: u32 = 37;
/** first: string; second: constraint */
export const CONSTRAINED_AUTO: u32 = 38;
/** first: pattern; detail: 1 of an expression */
export const EXPANSION: u32 = 39;
/** first: list, of which one member is meant at a time */
export const PACK: u32 = 40;
/** first: list */
export const ARGUMENT_PACK: u32 = 41;
/** first: argument, 0 for none that is known; second: for template-arguments.ts; third: 1 of one that a lambda declares; detail: number */
export const TEMPLATE_PARAMETER: u32 = 42;
/** first: string in front; second: type of a value or list of parameters of a template; detail: number */
export const DECLARED_PARAMETER: u32 = 43;

// Expressions.
/** first: type; second: TEXT; detail: 1 of a negative one */
export const LITERAL: u32 = 44;
/** first: type */
export const TYPE_LITERAL: u32 = 45;
/** first: string of the operator; second: operand; detail: 1 where it always has parentheses */
export const PREFIX: u32 = 46;
/** first: string; second: operand */
export const POSTFIX: u32 = 47;
/** first: string; second, third: operands */
export const BINARY: u32 = 48;
/** first, second, third */
export const CONDITIONAL: u32 = 49;
/** first: function; second: list */
export const CALL: u32 = 50;
/** first: type; second: expression or 0; third: list or 0 */
export const CAST: u32 = 51;
/** first: string; second: type; third: expression */
export const NAMED_CAST: u32 = 52;
/** first: array; second: index */
export const INDEX: u32 = 53;
/** first: type or 0; second: list */
export const BRACED: u32 = 54;
/** first: member or index; second: value; third: end of a range or 0; detail: 1 of an index */
export const DESIGNATED: u32 = 55;
/** first: list of placement; second: type; third: BRACED, list in PARENTHESES, or 0; detail: 1 of an array, 2 of the global one */
export const NEW: u32 = 56;
/** first: list */
export const PARENTHESES: u32 = 57;
/** first: pack; detail: 1 of a list of them */
export const PACK_LENGTH: u32 = 58;
/** first: string of the operator; second: left operand or 0; third: right one or 0 */
export const FOLD: u32 = 59;
/** detail: number, 0 for this */
export const PARAMETER: u32 = 60;
/** first: name */
export const GLOBAL: u32 = 61;
/** first: TEXT; second: list */
export const VENDOR_EXPRESSION: u32 = 62;
/** first: list of parameters or 0; second: list of requirements */
export const REQUIRES: u32 = 63;
/** first: expression; second: constraint or 0; detail: 1 of noexcept */
export const REQUIREMENT: u32 = 64;
/** first: type */
export const TYPE_REQUIREMENT: u32 = 65;
/** first: expression */
export const NESTED_REQUIREMENT: u32 = 66;
