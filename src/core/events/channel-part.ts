/** A piece of an answer with its meaning. @module */

/** Blocks never overlap; the pipeline in `channels/answer-events.ts` turns them into GenerationEvents. */
export type ChannelPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'tool-call-start'; name: string }
  /** A piece of the arguments' JSON text. */
  | { type: 'tool-call-arguments'; text: string }
  | { type: 'tool-call-end' };
