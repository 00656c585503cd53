/** Function definitions of any dialect as canonical tools. @module */
import { checkSchemaStructure, schemaWork } from '../../../core/schema/check-schema-structure.js';
import type { Tool } from '../../../core/request/tool.js';

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
 * @throws InferenceError `invalid_request` for parameters that are no JSON Schema
 */
export function defineTools(definitions: readonly ToolDefinition[]): Tool[] {
  const byName = new Map<string, Tool>();
  const work = schemaWork();
  for (const { name, description, parameters, param } of definitions) {
    if (parameters != null) checkSchemaStructure(parameters, param, work);
    if (byName.has(name)) continue;
    const tool: Tool = { name };
    if (description != null) tool.description = description;
    if (parameters != null) Object.assign(tool, { parameters, param });
    byName.set(name, tool);
  }
  return [...byName.values()];
}
