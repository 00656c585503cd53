/** Function definitions of any dialect as canonical tools. @module */
import { checkJsonSchema, schemaWork } from '../../constraints/check-json-schema.js';
import type { Tool } from '../../request/tool.js';

/** A function as a client defined it; null means left out. */
export interface ToolDefinition {
  name: string;
  description: string | null | undefined;
  parameters: Record<string, unknown> | null | undefined;
  /** Dotted path of `parameters` in the request. */
  param: string;
}

/**
 * Of several tools with one name the first counts: a call could not tell them apart.
 * @throws InferenceError `invalid_request` for parameters that no grammar can keep
 */
export function defineTools(definitions: readonly ToolDefinition[]): Tool[] {
  const byName = new Map<string, Tool>();
  const work = schemaWork();
  for (const { name, description, parameters, param } of definitions) {
    if (parameters != null) checkJsonSchema(parameters, param, work);
    if (byName.has(name)) continue;
    const tool: Tool = { name };
    if (description != null) tool.description = description;
    if (parameters != null) tool.parameters = parameters;
    byName.set(name, tool);
  }
  return [...byName.values()];
}
