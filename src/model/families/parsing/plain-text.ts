/** Models without any markup, and raw prompts. @module */
import type { ChannelParser } from './channel-parser.js';

/** Everything is text. */
export function createPlainTextParser(): ChannelParser {
  return {
    push: (text) => (text === '' ? [] : [{ type: 'text', text }]),
    end: () => [],
    channel: 'text',
    heldText: '',
  };
}
