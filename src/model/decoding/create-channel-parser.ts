/** From a model's formats to the parser for one choice. @module */
import { type AnswerFormats, answerSyntax } from '../families/answer-syntax.js';
import type { ToolSyntax } from '../families/model-family.js';
import { none } from '../families/none/none.js';
import type { ChannelParser } from '../families/parsing/channel-parser.js';
import type { Tool } from '../../core/request/tool.js';

export interface ChannelParserOptions extends AnswerFormats {
  /** The prompt ended inside the reasoning. */
  reasoningOpen: boolean;
  /** False: what looks like a call is text. */
  toolsOffered: boolean;
  /** The request's tools: syntaxes that write no types take them from the schemas. */
  tools?: readonly Tool[];
}

/** A fresh parser; each choice needs its own. */
export function createChannelParser(options: ChannelParserOptions): ChannelParser {
  const { reasoningOpen: startOpen, toolsOffered, tools = [] } = options;
  const syntax = answerSyntax(options);
  const toolSyntax: ToolSyntax = toolsOffered ? syntax.tools : none.tools;
  return syntax.reasoning.createParser({
    startOpen,
    toolsOffered,
    endsThought: toolSyntax.endsThought ?? [],
    createToolParser: () => toolSyntax.createParser(tools),
  });
}
