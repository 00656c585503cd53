/** WebLLM's list of ready-made models, made by the build (see `vite.config.ts`). */
declare module 'virtual:web-llm-models' {
  import type { ModelRecord } from '@mlc-ai/web-llm';
  const models: ModelRecord[];
  export default models;
}
