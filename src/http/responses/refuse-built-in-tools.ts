/** Tools that only the vendor's own servers can run. @module */
import { InferenceError } from '../../errors/inference-error.js';

/**
 * Looks at the unchecked body, because such a tool has its own error code and none of a function's fields.
 * @throws InferenceError `unsupported_tool_type`
 */
export function refuseBuiltInTools(body: Record<string, unknown>): void {
  if (!Array.isArray(body['tools'])) return;
  for (const [index, tool] of body['tools'].entries()) {
    const type: unknown = typeof tool === 'object' && tool !== null && 'type' in tool ? tool.type : undefined;
    if (typeof type !== 'string' || type === 'function') continue;
    throw new InferenceError(
      'unsupported_tool_type',
      `\`tools.${index}.type\` must be "function": built-in tools are not supported.`,
      {
        param: `tools.${index}.type`,
      },
    );
  }
}
