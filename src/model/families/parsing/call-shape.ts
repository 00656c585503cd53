/** What can stand between a family's tags: a call in one of several shapes. @module */
import type { Tool } from '../../../core/request/tool.js';
import type { ChannelPart } from '../../../core/events/channel-part.js';

/** Reads one call, or several that belong together. */
export interface CallReader {
  /**
   * Looks at text and returns how many characters it took, undefined when more text is needed. While `undecided` it takes
   * nothing and is given the whole call again.
   * @param final no more text will come
   */
  read(text: string, parts: ChannelPart[], final: boolean): number | undefined;
  /**
   * `undecided`: nothing was given out yet. `called`: a call was given out, at least its beginning. `done`: it ended, and
   * the rest of the text is not its own. `invalid`: it is no call, and nothing was given out.
   */
  readonly state: 'undecided' | 'called' | 'done' | 'invalid';
}

/** A way to write calls. */
export interface CallShape {
  /** Whether the text begins so; `more`: what follows the text decides. */
  begins(text: string, final: boolean, tools: readonly Tool[]): 'yes' | 'no' | 'more';
  createReader(tools: readonly Tool[]): CallReader;
}
