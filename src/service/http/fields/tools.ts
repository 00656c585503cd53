/** Tools and tool choices of all dialects as canonical ones. @module */
import * as v from 'valibot';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { Tool, ToolChoice } from '../../../core/request/tool.js';

/** Most tools that a request may define, on every endpoint. */
export const MAX_TOOLS = 128;

/** Letters, digits, underscores, dashes. */
export const functionName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9_-]+$/, 'must consist of letters, digits, underscores and dashes'),
);

/** How closely the schemas of tools are looked at: exactly, for what can be kept of them, or not at all. */
export type SchemaCheck = 'exact' | 'loose' | 'none';

/** @param mayCall false: no tool can be called, whatever it is */
export function schemaCheck({ toolSchemas }: { toolSchemas: 'exact' | 'loose' }, mayCall: boolean): SchemaCheck {
  return toolSchemas === 'loose' && !mayCall ? 'none' : toolSchemas;
}

/** The tools that may be called, and how. */
export interface ToolOffer {
  tools: Tool[];
  toolChoice: ToolChoice;
}

/** A choice among tools that a client named. */
interface AllowedTools {
  mode: 'auto' | 'required';
  names: readonly string[];
  /** Dotted path of the name at an index, for the error. */
  paramOf: (index: number) => string;
}

/** @throws InferenceError `invalid_request` when a call is demanded and there is no tool */
export function offerAll(mode: 'none' | 'auto' | 'required', tools: Tool[]): ToolOffer {
  return { tools, toolChoice: mode === 'required' ? requireTools(mode, tools) : mode };
}

/** @throws InferenceError `invalid_request` when no tool has one of the names, or a call of none is demanded */
export function offerAllowed({ mode, names, paramOf }: AllowedTools, tools: readonly Tool[]): ToolOffer {
  for (const [index, name] of names.entries()) requireTool(name, tools, paramOf(index));
  return offerAll(
    mode,
    tools.filter(({ name }) => names.includes(name)),
  );
}

/** @throws InferenceError `invalid_request` when there is no tool */
export function requireTools(choice: 'required', tools: readonly Tool[]): ToolChoice {
  if (tools.length > 0) return choice;
  throw new InferenceError('invalid_request', '`tool_choice` requires a call, but `tools` is empty.', {
    param: 'tool_choice',
  });
}

/** @throws InferenceError `invalid_request` when no tool has this name */
export function requireTool(name: string, tools: readonly Tool[], param: string, list = 'tools'): ToolChoice {
  if (tools.some((tool) => tool.name === name)) return { name };
  throw new InferenceError('invalid_request', `\`${param}\` must be the name of one of the \`${list}\`.`, { param });
}
