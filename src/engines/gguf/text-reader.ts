/** Models that read texts and write none. @module */
import { PASS_ROWS } from './forward.js';
import type { Forward, Span } from './forward-interface.js';
import { type KvPages, KvSequence } from './kv-pages.js';
import { yieldToEventLoop } from '../../core/platform/pause.js';

/** Tokens of a text, control tokens included. */
export interface ReadableText {
  ids: readonly number[];
  /** Which of two texts each token belongs to; absent: the first. */
  types?: readonly number[];
}

export interface TextReader {
  /** Numbers of a token's state. */
  readonly width: number;
  /** The states of each text's tokens behind the last layer, one behind the other. Called one at a time. */
  read(texts: readonly ReadableText[]): Promise<Float32Array[]>;
}

/** A decoder whose states are wanted, not what it would write. */
export class DecoderReader implements TextReader {
  readonly width: number;
  readonly #forward: Forward;
  readonly #pages: KvPages;

  constructor(forward: Forward, pages: KvPages, width: number) {
    this.width = width;
    this.#forward = forward;
    this.#pages = pages;
  }

  async read(texts: readonly ReadableText[]): Promise<Float32Array[]> {
    const sequences = texts.map(() => new KvSequence(this.#pages));
    const states = texts.map(({ ids }) => new Float32Array(ids.length * this.width));
    try {
      for (let spans = nextSpans(texts, sequences); spans.length > 0; spans = nextSpans(texts, sequences)) {
        const before = spans.map(({ kv }) => kv.length);
        await this.#forward.bring?.(spans);
        const given = await this.#forward.run(spans, 'states');
        for (const [index, { kv }] of spans.entries()) {
          const to = states[sequences.indexOf(kv)]!;
          for (const [row, state] of given[index]!.entries())
            to.set(state as Float32Array, (before[index]! + row) * this.width);
        }
        // Requests and aborts arrive meanwhile.
        await yieldToEventLoop();
      }
      return states;
    } finally {
      for (const sequence of sequences) sequence.release();
    }
  }
}

/** As many tokens as a pass takes of what is not read yet. */
function nextSpans(texts: readonly ReadableText[], sequences: readonly KvSequence[]): Span[] {
  const spans: Span[] = [];
  let room = PASS_ROWS;
  for (const [index, kv] of sequences.entries()) {
    const tokens = texts[index]!.ids.slice(kv.length, kv.length + room);
    if (tokens.length === 0) continue;
    spans.push({ tokens, kv, keep: tokens.length });
    room -= tokens.length;
  }
  return spans;
}
