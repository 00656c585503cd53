/** Two parsers as one. @module */
import type { ChannelPart } from '../../../core/events/channel-part.js';
import type { ChannelParser } from './channel-parser.js';

/** What the first parser takes for text, the second reads for calls. */
export function composeParsers(reasoning: ChannelParser, tools: ChannelParser): ChannelParser {
  const pass = (found: ChannelPart[]): ChannelPart[] =>
    found.flatMap((part) => (part.type === 'text' ? tools.push(part.text) : [part]));

  return {
    push: (text) => pass(reasoning.push(text)),
    end: () => [...pass(reasoning.end()), ...tools.end()],
    get channel() {
      return reasoning.channel === 'reasoning' ? 'reasoning' : tools.channel;
    },
    get heldText() {
      return tools.heldText + reasoning.heldText;
    },
  };
}
