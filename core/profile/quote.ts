/** Texts of a profile come from anywhere: quoted so that they can do nothing where they are shown. */

/** Controls beyond those that JSON escapes, and marks that turn the direction of text or end a line. */
const steering = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** A JSON string literal without any character that steers a terminal. */
export function quoteText(text: string): string {
  return JSON.stringify(text).replace(
    steering,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
