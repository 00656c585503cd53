/** Text in, meaning out: one small parser per model family. @module */

/** A parser's finding. Blocks never overlap; the pipeline in `interpret-tokens.ts` turns them into GenerationEvents. */
export type ChannelPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'tool-call-start'; name: string }
  /** A piece of the arguments' JSON text. */
  | { type: 'tool-call-arguments'; text: string }
  | { type: 'tool-call-end' };

/**
 * Fed with text in any pieces; the concatenated parts are the same for every way of cutting it.
 * Text that may be the start of a tag is held back until it is certain.
 */
export interface ChannelParser {
  push(text: string): ChannelPart[];
  /** No more text will come. What was held back is given out; an open call stays without its `tool-call-end`. */
  end(): ChannelPart[];
  /** The channel that the next text would belong to, for counting reasoning tokens. */
  readonly channel: 'text' | 'reasoning' | 'tool-call';
}
