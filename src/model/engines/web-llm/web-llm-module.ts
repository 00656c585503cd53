/** What we take from `@mlc-ai/web-llm`, typed by its own declarations: an upgrade that changes it fails to compile. @module */
import type { AppConfig, MLCEngineConfig, MLCEngineInterface } from '@mlc-ai/web-llm';

/**
 * The engine's low-level half: tokens in, keys and values kept, logits out through a logit processor. Its chat half
 * (templates, sampling, grammars, tool models, locks, interrupt flag) is not used.
 */
export type WebLlmEngine = Pick<MLCEngineInterface, 'reload' | 'unload' | 'resetChat' | 'forwardTokensAndSample'>;

/** The package, or another version of it. */
export interface WebLlmModule {
  MLCEngine: new (config: MLCEngineConfig) => WebLlmEngine;
  /** WebLLM's list of ready-made models. */
  prebuiltAppConfig: AppConfig;
}

/** The package is large, so it is only fetched when a WebLLM model is asked for. */
export async function importWebLlm(): Promise<WebLlmModule> {
  return import('@mlc-ai/web-llm');
}
