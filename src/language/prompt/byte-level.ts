/** The alphabet of byte-level vocabularies, in which every byte is one printable character. @module */

const encoder = new TextEncoder();

/** Byte-level BPE: every character of the piece is one byte. */
export function byteLevelBytes(piece: string): Uint8Array {
  const characters = Array.from(piece);
  const bytes = new Uint8Array(characters.length);
  for (const [index, character] of characters.entries()) {
    const byte = BYTE_OF_CHARACTER.get(character);
    // A piece that was added outside the byte alphabet is text.
    if (byte === undefined) return encoder.encode(piece);
    bytes[index] = byte;
  }
  return bytes;
}

/** Printable Latin-1 bytes are themselves; the others take the characters from U+0100 on, in order. */
const BYTE_OF_CHARACTER: ReadonlyMap<string, number> = (() => {
  const isPrintable = (byte: number): boolean =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  const map = new Map<string, number>();
  let next = 0x100;
  for (let byte = 0; byte < 256; byte++) map.set(String.fromCodePoint(isPrintable(byte) ? byte : next++), byte);
  return map;
})();

const CHARACTER_OF_BYTE: readonly string[] = [...BYTE_OF_CHARACTER]
  .toSorted(([, a], [, b]) => a - b)
  .map(([character]) => character);

/** A text in the alphabet: one character for each byte. */
export function byteLevelText(text: string): string {
  let characters = '';
  for (const byte of encoder.encode(text)) characters += CHARACTER_OF_BYTE[byte]!;
  return characters;
}
