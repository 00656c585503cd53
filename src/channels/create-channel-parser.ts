/** From a model's formats to the parser for one choice. @module */
import { THINK_TAGS } from '../events/think-tags.js';
import type { ReasoningFormat, ToolFormat } from '../events/token-event.js';
import type { ChannelPart } from '../events/channel-part.js';
import type { ChannelParser } from './channel-parser.js';
import { createHarmonyParser } from './harmony.js';
import { createPlainTextParser } from './plain-text.js';
import { createThinkTagsParser } from './think-tags.js';
import { createHermesParser } from './tool-calls/hermes.js';
import { createLlama3Parser } from './tool-calls/llama3.js';
import { createMistralParser } from './tool-calls/mistral.js';
import { createPythonicParser } from './tool-calls/pythonic.js';

export interface ChannelParserOptions {
  toolFormat: ToolFormat;
  reasoningFormat: ReasoningFormat;
  /** The prompt ended inside the reasoning. */
  reasoningOpen: boolean;
  /** False: what looks like a call is text. */
  toolsOffered: boolean;
}

/** A fresh parser; each choice needs its own. */
export function createChannelParser(options: ChannelParserOptions): ChannelParser {
  const { reasoningFormat, reasoningOpen, toolsOffered } = options;
  if (reasoningFormat === 'harmony') return createHarmonyParser({ startOpen: reasoningOpen, toolsOffered });
  const tools = createToolParser(toolsOffered ? options.toolFormat : 'none');
  if (reasoningFormat === 'none') return tools;
  return composeParsers(createThinkTagsParser({ tags: THINK_TAGS[reasoningFormat], startOpen: reasoningOpen }), tools);
}

function createToolParser(format: ToolFormat): ChannelParser {
  switch (format) {
    case 'hermes':
      return createHermesParser();
    case 'llama3':
      return createLlama3Parser();
    case 'mistral':
      return createMistralParser();
    case 'pythonic':
      return createPythonicParser();
    case 'none':
      return createPlainTextParser();
  }
}

/** What the first parser takes for text, the second reads for calls. */
function composeParsers(reasoning: ChannelParser, tools: ChannelParser): ChannelParser {
  const pass = (found: ChannelPart[]): ChannelPart[] =>
    found.flatMap((part) => (part.type === 'text' ? tools.push(part.text) : [part]));

  return {
    push: (text) => pass(reasoning.push(text)),
    end: () => [...pass(reasoning.end()), ...tools.end()],
    get channel() {
      return reasoning.channel === 'reasoning' ? 'reasoning' : tools.channel;
    },
  };
}
