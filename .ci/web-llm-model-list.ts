/** The list of WebLLM's ready-made models as a module of its own. */
import type { Plugin } from 'vite';

/**
 * Vite plugin: `virtual:web-llm-models` is that list. A page that shows it, and the bundler of an app, need not take the
 * whole library for it.
 */
export function webLlmModelList(): Plugin {
  const id = 'virtual:web-llm-models';
  return {
    name: 'inpage:web-llm-model-list',
    resolveId: (source) => (source === id ? `\0${id}` : null),
    async load(resolved) {
      if (resolved !== `\0${id}`) return null;
      const { prebuiltAppConfig } = await import('@mlc-ai/web-llm');
      return `export default ${JSON.stringify(prebuiltAppConfig.model_list)};`;
    },
  };
}
