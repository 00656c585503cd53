/** Tools that only the vendor's own servers can run. @module */
import { InferenceError, isInferenceError } from '../../../core/errors/inference-error.js';

/**
 * Runs the check of a body. When its first problem is the type of a tool, and that names one (neither a function nor a
 * custom tool), the error has a code of its own, too.
 * @throws InferenceError `unsupported_tool_type`, or what `check` throws
 */
export function refuseBuiltInTools<T>(body: Record<string, unknown>, check: () => T): T {
  try {
    return check();
  } catch (thrown) {
    const index = isInferenceError(thrown) ? /^tools\.(\d+)\.type$/.exec(thrown.param ?? '')?.[1] : undefined;
    if (index === undefined || typeof typeOfTool(body, Number(index)) !== 'string') throw thrown;
    const param = `tools.${index}.type`;
    const message = `\`${param}\` must be "function" or "custom": built-in tools are not supported.`;
    throw new InferenceError('unsupported_tool_type', message, { param });
  }
}

function typeOfTool({ tools }: Record<string, unknown>, index: number): unknown {
  const tool: unknown = Array.isArray(tools) ? tools[index] : undefined;
  return typeof tool === 'object' && tool !== null ? Reflect.get(tool, 'type') : undefined;
}
