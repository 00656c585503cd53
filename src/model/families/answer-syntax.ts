/** From the names of a model's formats to what is known of them. @module */
import type { ReasoningFormat, ToolFormat } from '../../core/models/answer-formats.js';
import { MODEL_FAMILIES } from './families.js';
import type { ModelFamily, ReasoningSyntax, ToolSyntax } from './model-family.js';

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

/** The families in the order in which templates are shown to them. */
export function modelFamilies(): readonly ModelFamily[] {
  return MODEL_FAMILIES;
}

/** @throws Error for a name that no family has; names of catalog entries are checked when formats are detected */
export function answerSyntax({ toolFormat, reasoningFormat }: AnswerFormats): AnswerSyntax {
  const reasoning = familyNamed(reasoningFormat).reasoning;
  const tools = reasoning?.tools ?? familyNamed(toolFormat).tools;
  if (!tools || !reasoning) throw new Error(`No syntax is known as ${toolFormat} and ${reasoningFormat}.`);
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

function familyNamed(name: string): ModelFamily {
  return modelFamilies().find((family) => family.name === name) ?? { name };
}

/** All tags that grammars ask for, each once. */
export function grammarTags(): string[] {
  const tags = modelFamilies().flatMap(({ tools, reasoning }) => [
    ...(tools?.grammar.tags ?? []),
    ...(reasoning?.grammar.tags ?? []),
  ]);
  return [...new Set(tags)];
}
