/** The bytes that a vocabulary's pieces stand for, by kind of tokenizer. @module */

const encoder = new TextEncoder();

/** Pieces that are text as they are. */
export function pieceBytes(piece: string): Uint8Array {
  return encoder.encode(piece);
}

/** SentencePiece: `▁` is a space, `<0x0A>` is one byte. */
export function sentencePieceBytes(piece: string): Uint8Array {
  const byte = /^<0x([0-9A-Fa-f]{2})>$/.exec(piece);
  return byte ? Uint8Array.of(Number.parseInt(byte[1]!, 16)) : encoder.encode(piece.replaceAll('\u2581', ' '));
}

/** WordPiece: `##` continues a word, everything else begins one. */
export function wordPieceBytes(piece: string): Uint8Array {
  return encoder.encode(piece.startsWith('##') ? piece.slice(2) : ` ${piece}`);
}

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
