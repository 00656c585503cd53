/** From the names of a model's formats to what is known of them. @module */
import type { ReasoningFormat, ToolFormat } from '../../core/models/answer-formats.js';
import type { Tool } from '../../core/request/tool.js';
import { MODEL_FAMILIES } from './families.js';
import type { ModelFamily, ReasoningSyntax, ToolSyntax } from './format/model-family.js';
import type { ChannelParser } from './parsing/channel-parser.js';

/** The formats of a model, by name. */
export interface AnswerFormats {
  toolFormat: ToolFormat;
  reasoningFormat: ReasoningFormat;
}

/** How a model's answers are written. */
export interface AnswerSyntax {
  tools: ToolSyntax;
  reasoning: ReasoningSyntax;
}

/** @throws Error for a name that no family has; names of catalog entries are checked when formats are detected */
export function answerSyntax({ toolFormat, reasoningFormat }: AnswerFormats): AnswerSyntax {
  const family = familyNamed(reasoningFormat);
  const { reasoning } = family;
  const { tools } = family.inseparable ? family : familyNamed(toolFormat);
  if (!tools || !reasoning)
    throw new Error(`Unknown formats: \`toolFormat\` ${toolFormat}, \`reasoningFormat\` ${reasoningFormat}.`);
  return { tools, reasoning };
}

/** Whether a family of this name writes calls. */
export function isToolFormat(name: string): name is ToolFormat {
  return familyNamed(name).tools !== undefined;
}

/** Whether a family of this name writes thoughts. */
export function isReasoningFormat(name: string): name is ReasoningFormat {
  return familyNamed(name).reasoning !== undefined;
}

const familiesByName = new Map<string, ModelFamily>(MODEL_FAMILIES.map((family) => [family.name, family]));

function familyNamed(name: string): ModelFamily {
  return familiesByName.get(name) ?? { name };
}

/** All tags that grammars ask for, each once. */
export function grammarTags(): string[] {
  const tags = [...familiesByName.values()].flatMap(({ tools, reasoning }) => [
    ...(tools?.grammar.tags ?? []),
    ...(reasoning?.grammar.tags ?? []),
  ]);
  return [...new Set(tags)];
}

/** The tags among what begins calls: a word may also be thought. */
export function thoughtOpenings({ openingTokens }: Pick<ToolSyntax, 'openingTokens'>): string[] {
  return openingTokens.filter((open) => /^[<[]/.test(open));
}

export interface ChannelParserOptions extends AnswerFormats {
  /** The prompt ended inside the reasoning. */
  reasoningOpen: boolean;
  /** False: what looks like a call is text. */
  toolsOffered: boolean;
  /** The request's tools: syntaxes that write no types take them from the schemas. */
  tools?: readonly Tool[];
  /** False: a thought ends with its closing tag only, and what looks like a call in it is thinking. @default true */
  callsInThoughts?: boolean;
}

/** A fresh parser; each choice needs its own. */
export function createChannelParser(options: ChannelParserOptions): ChannelParser {
  const { reasoningOpen: startOpen, toolsOffered, tools = [], callsInThoughts = true } = options;
  const readsThoughts = toolsOffered && callsInThoughts;
  const syntax = answerSyntax(options);
  return syntax.reasoning.createParser({
    startOpen,
    endsThought: (readsThoughts && syntax.tools.endsThought) || [],
    opensCall: readsThoughts ? thoughtOpenings(syntax.tools) : [],
    callEndsThought: syntax.tools.callEndsThought === true,
    tools,
    createToolParser: toolsOffered ? () => syntax.tools.createParser(tools) : undefined,
  });
}
