/** SHA-256 of a stream, of the whole and of its parts. @module */
import { createHash } from 'node:crypto';

export class ChunkHashes {
  readonly #partBytes: number;
  readonly #whole = createHash('sha256');
  #part = createHash('sha256');
  #room: number;
  /** Of the parts that are whole. */
  readonly parts: string[] = [];

  constructor(partBytes: number) {
    this.#partBytes = partBytes;
    this.#room = partBytes;
  }

  update(bytes: Uint8Array): void {
    this.#whole.update(bytes);
    for (let start = 0; start < bytes.length;) {
      const piece = bytes.subarray(start, start + this.#room);
      this.#part.update(piece);
      this.#room -= piece.length;
      start += piece.length;
      if (this.#room === 0) this.#endPart();
    }
  }

  /** 64 hexadecimal digits; ends the last part too. */
  digest(): string {
    if (this.#room < this.#partBytes) this.#endPart();
    return this.#whole.digest('hex');
  }

  #endPart(): void {
    this.parts.push(this.#part.digest('hex'));
    this.#part = createHash('sha256');
    this.#room = this.#partBytes;
  }
}
