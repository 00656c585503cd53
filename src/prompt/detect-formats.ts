/** Which syntax a model uses for tool calls and thinking, read from its chat template. @module */
import type { ReasoningFormat, ToolFormat } from '../events/token-event.js';
import { declaresTools } from './declares-tools.js';

const TOOL_FORMATS: readonly string[] = ['hermes', 'llama3', 'mistral', 'pythonic', 'none'] satisfies ToolFormat[];
const REASONING_FORMATS: readonly string[] = [
  'think-tags',
  'think-brackets',
  'harmony',
  'none',
] satisfies ReasoningFormat[];

/**
 * The syntax of tool calls. A template that knows nothing of tools gets Hermes: the prompt then explains that syntax.
 * @param override from the catalog entry; unknown names are ignored
 */
export function detectToolFormat(chatTemplate: string | undefined, override?: string): ToolFormat {
  if (override !== undefined && TOOL_FORMATS.includes(override)) return override as ToolFormat;
  if (chatTemplate === undefined) return 'none';
  if (!declaresTools(chatTemplate)) return 'hermes';
  if (chatTemplate.includes('[TOOL_CALLS]')) return 'mistral';
  if (chatTemplate.includes('<tool_call>')) return 'hermes';
  if (/<\|python_tag\|>|Respond in the format \{"name"/.test(chatTemplate)) return 'llama3';
  if (/<\|python_start\|>|pythonic|\[func_name1\(/.test(chatTemplate)) return 'pythonic';
  return 'hermes';
}

/** The syntax of thinking. @param override from the catalog entry; unknown names are ignored */
export function detectReasoningFormat(chatTemplate: string | undefined, override?: string): ReasoningFormat {
  if (override !== undefined && REASONING_FORMATS.includes(override)) return override as ReasoningFormat;
  if (chatTemplate === undefined) return 'none';
  if (chatTemplate.includes('<|channel|>')) return 'harmony';
  // The first template of DeepSeek R1 only cuts the thinking off older answers, so it holds just the closing tag.
  if (/<\/?think>/.test(chatTemplate)) return 'think-tags';
  return /\[\/?THINK\]/.test(chatTemplate) ? 'think-brackets' : 'none';
}
