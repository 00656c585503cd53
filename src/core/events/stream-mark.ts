/** What is needed to go on with a streamed answer elsewhere. @module */

/**
 * What a chunk of a streamed answer adds to what is needed to go on after it. All marks of an answer together are enough for
 * another gateway.
 */
export interface StreamMark {
  /** Events of the stream in the piece. */
  events: number;
  /** Keep-alives in it that came after an event. */
  keepAlives: number;
  /** What was drawn by chance or taken from the clock. */
  drawn: [kind: DrawnKind, value: string | number][];
  /** Ids of the tokens that were chosen, -1 for the end of a choice. Generations of one answer count from 0. */
  said: [generation: number, choice: number, token: number][];
}

/** Values of one kind are drawn in the same order whenever the same answer is made. */
export type DrawnKind = 'id' | 'time' | 'model' | 'cached' | 'call';
