/** Text in, meaning out: one small parser per model family. @module */
import type { ChannelPart } from '../../../core/events/channel-part.js';

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
  /** What is held back and will be text unless it becomes a tag or the white space around one. */
  readonly heldText: string;
}
