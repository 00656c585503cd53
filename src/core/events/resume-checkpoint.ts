/** What is needed to go on with a streamed answer elsewhere. @module */

/**
 * What a chunk of a streamed answer adds to what is needed to go on after it. All checkpoints of an answer together are enough for
 * another gateway.
 */
export interface ResumeCheckpoint {
  /** Events of the stream in the piece. */
  events: number;
  /** Keep-alives in it that came after an event. */
  keepAlives: number;
  /** Values that came by chance or from the clock. */
  values: [kind: ReplayedKind, value: string | number][];
  /** Ids of the tokens that were chosen, -1 for the end of a choice. Generations of one answer count from 0. */
  tokens: [generation: number, choice: number, token: number][];
}

/** Values of one kind come in the same order whenever the same answer is made. */
export type ReplayedKind = 'id' | 'time' | 'model' | 'cached' | 'call';
