/** WebLLM as it comes, on the GPU, in a worker of its own. */
import type { MLCEngine } from '@mlc-ai/web-llm';
import type { MLCEngine as OlderEngine } from 'web-llm-0-2-79';
import type { EngineAnswer } from './engine-worker.js';

/** What to do. The first order of a worker is `load`. */
export type WebLlmOrder =
  /** @param isOlder the model's library was compiled for WebLLM before 0.2.80 */
  { kind: 'load'; source: string; isOlder: boolean } | { kind: 'generate'; text: string; tokens: number };

let engine: MLCEngine | OlderEngine | undefined;

async function load(source: string, isOlder: boolean): Promise<EngineAnswer> {
  const library = isOlder ? await import('web-llm-0-2-79') : await import('@mlc-ai/web-llm');
  const model = { model: source, model_id: 'm', model_lib: `${source}model.wasm` };
  engine = await library.CreateMLCEngine('m', { appConfig: { model_list: [model] } });
  return { prompt: 0, tokens: 0 };
}

async function generate(prompt: string, tokens: number): Promise<EngineAnswer> {
  const { usage } = await engine!.completions.create({ prompt, max_tokens: tokens, temperature: 0, ignore_eos: true });
  return { prompt: usage!.prompt_tokens, tokens: usage!.completion_tokens };
}

globalThis.addEventListener('message', ({ data }: MessageEvent<WebLlmOrder>) => {
  const answer = data.kind === 'load' ? load(data.source, data.isOlder) : generate(data.text, data.tokens);
  answer.then(
    (result) => globalThis.postMessage(result),
    (error: unknown) => globalThis.postMessage({ error: error instanceof Error ? error.stack : String(error) }),
  );
});
