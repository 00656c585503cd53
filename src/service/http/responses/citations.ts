/** Citations in an answer: marks that the model writes are taken out, and sentences that quote are found without one. @module */
import type { FileCitation } from './response-object.js';

/** What can be cited, by its number from 1 on. */
export interface Citable {
  fileId: string;
  filename: string;
  text: string;
}

/** A piece of the text, and what is cited behind it. Either may be empty. */
export interface CitedPiece {
  text: string;
  citations: FileCitation[];
}

const MARK = /^【([1-9]\d{0,2})】/;
/** What may become one. */
const BEGINNING = /^【(?:$|[1-9]\d{0,2}$)/;

/** So many words in a row are a quotation. */
const QUOTED_WORDS = 8;

/** The end of a sentence, with the white space behind it that shows that it is one. */
const SENTENCE_END = /[.!?…]+["'”’»)\]]*(?=\s)|[。！？]+["'”’»」』)\]]*|\n/g;

/** Reads the text of a message as it comes. */
export class CitationReader {
  readonly #sources: readonly Citable[];
  readonly #quotes: readonly string[];
  /** Without marks. */
  #text = '';
  /** What may be the beginning of a mark. */
  #held = '';
  /** Where the sentence begins that is being written, and whether it has a mark. */
  #start = 0;
  #isCited = false;
  /** Where ends of sentences are looked for. */
  #from = 0;
  /** A sentence without a mark that has ended: one may still follow it. */
  #ended: { start: number; end: number } | undefined;

  constructor(sources: readonly Citable[]) {
    this.#sources = sources;
    this.#quotes = sources.map(({ text }) => ` ${plainWords(text).join(' ')} `);
  }

  push(delta: string): CitedPiece[] {
    const pieces: CitedPiece[] = [];
    let rest = this.#held + delta;
    this.#held = '';
    for (let at = rest.indexOf('【'); at >= 0; at = rest.indexOf('【')) {
      this.#add(rest.slice(0, at), pieces);
      rest = rest.slice(at);
      const mark = MARK.exec(rest);
      const source = mark && this.#sources[Number(mark[1]) - 1];
      if (mark && source) {
        this.#cite(source, pieces);
        rest = rest.slice(mark[0].length);
      } else if (BEGINNING.test(rest)) {
        this.#held = rest;
        return pieces;
      } else {
        this.#add(rest.slice(0, 1), pieces);
        rest = rest.slice(1);
      }
    }
    this.#add(rest, pieces);
    return pieces;
  }

  /** What was held back, and what the end shows. */
  end(): CitedPiece[] {
    const pieces: CitedPiece[] = [];
    this.#add(this.#held, pieces);
    this.#held = '';
    this.#settle(pieces);
    this.#ended = this.#isCited ? undefined : { start: this.#start, end: this.#text.trimEnd().length };
    this.#settle(pieces);
    return pieces;
  }

  #add(text: string, pieces: CitedPiece[]): void {
    if (text === '') return;
    this.#text += text;
    const piece: CitedPiece = { text, citations: [] };
    pieces.push(piece);
    SENTENCE_END.lastIndex = this.#from;
    for (let end = SENTENCE_END.exec(this.#text); end; end = SENTENCE_END.exec(this.#text)) {
      const at = end.index + (end[0] === '\n' ? 0 : end[0].length);
      this.#from = SENTENCE_END.lastIndex;
      if (!/\S/.test(this.#text.slice(this.#start, at))) continue;
      this.#settle([piece]);
      if (!this.#isCited) this.#ended = { start: this.#start, end: at };
      this.#start = this.#from;
      this.#isCited = false;
      SENTENCE_END.lastIndex = this.#from;
    }
    if (/\S/.test(this.#text.slice(this.#start))) this.#settle([piece]);
    // A sign at the end of what is known may end a sentence when more is.
    this.#from = Math.max(this.#from, this.#start, this.#text.length - 16);
  }

  #cite({ fileId, filename }: Citable, pieces: CitedPiece[]): void {
    // A mark behind a full stop is of the sentence before it.
    if (this.#ended && !/\S/.test(this.#text.slice(this.#start))) this.#ended = undefined;
    else this.#isCited = true;
    const citation: FileCitation = { type: 'file_citation', file_id: fileId, filename, index: this.#text.length };
    pieces.push({ text: '', citations: [citation] });
  }

  /** No mark follows the sentence that has ended: it is cited if it is a quotation. */
  #settle(pieces: CitedPiece[]): void {
    const sentence = this.#ended;
    this.#ended = undefined;
    const source = sentence && this.#quotedIn(this.#text.slice(sentence.start, sentence.end));
    if (!source) return;
    const { fileId: file_id, filename } = source;
    const citation: FileCitation = { type: 'file_citation', file_id, filename, index: sentence.end };
    const last = pieces.at(-1);
    if (last) last.citations.push(citation);
    else pieces.push({ text: '', citations: [citation] });
  }

  #quotedIn(sentence: string): Citable | undefined {
    const words = plainWords(sentence);
    for (let at = 0; at + QUOTED_WORDS <= words.length; at++) {
      const row = ` ${words.slice(at, at + QUOTED_WORDS).join(' ')} `;
      const index = this.#quotes.findIndex((quote) => quote.includes(row));
      if (index >= 0) return this.#sources[index];
    }
    return undefined;
  }
}

function plainWords(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}
