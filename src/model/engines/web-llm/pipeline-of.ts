/** What runs a model inside WebLLM. @module */
import type { WebLlmEngine } from './web-llm-module.js';

/**
 * WebLLM hides it, and its declarations say nothing of it: whoever asks must check the fields that it uses.
 * @returns undefined where another version of WebLLM keeps it elsewhere
 */
export function pipelineOf<Pipeline extends object>(
  engine: WebLlmEngine,
  modelId: string,
): Partial<Pipeline> | undefined {
  const { loadedModelIdToPipeline: pipelines } = engine as { loadedModelIdToPipeline?: unknown };
  return pipelines instanceof Map ? (pipelines.get(modelId) as Partial<Pipeline> | undefined) : undefined;
}
