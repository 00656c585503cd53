/** WebLLM's list of ready-made models, made by the build (see `.ci/web-llm-model-list.ts`). */
declare module 'virtual:web-llm-models' {
  import type { ModelRecord } from '@mlc-ai/web-llm';
  const models: ModelRecord[];
  export default models;
}
