/** The GGUF engine with a number of threads, in a worker of an isolated page. */
import type { TextModel } from '../../../src/language/decoding/create-text-model.js';
import { ggufBackend } from '../../../src/engines/gguf/gguf-backend.js';
import { plainGenerationRequest } from '../../../src/core/request/generation-request.js';

/** What to do. The first order of a worker is `load`. */
export type ThreadsOrder =
  | { kind: 'load'; origin: string; source: string; threads: number }
  | { kind: 'generate'; text: string; tokens: number };

export interface ThreadsAnswer {
  /** Tokens read. */
  prompt: number;
  /** Ids of those that were made. */
  tokens: number[];
  /** By the clock. */
  seconds: number;
}

const { signal } = new AbortController();
const NO_END = { 0: -100, 2: -100 };

let model: TextModel | undefined;

async function load(origin: string, source: string, threads: number): Promise<void> {
  // The engine takes half of the cores.
  Object.defineProperty(navigator, 'hardwareConcurrency', { value: 2 * threads });
  const loaded = await ggufBackend.load(
    { id: 'm', task: 'chat', backend: 'gguf', source },
    { onProgress: () => {}, signal, assetsURL: `${origin}/inpage/`, pageURL: `${origin}/` },
  );
  model = loaded as TextModel;
  if (model.info.threads !== threads) throw new Error(`${model.info.threads} threads run, not ${threads}.`);
}

async function generate(text: string, maxTokens: number): Promise<ThreadsAnswer> {
  const request = plainGenerationRequest('m', { type: 'raw', text });
  const answer: ThreadsAnswer = { prompt: 0, tokens: [], seconds: 0 };
  const start = performance.now();
  for await (const events of model!.generate({ ...request, maxTokens, sampling: { logitBias: NO_END } }, signal)) {
    for (const event of events) {
      if (event.type === 'prompt') answer.prompt = event.promptTokens;
      if (event.type === 'piece') answer.tokens.push(event.token!);
    }
  }
  return { ...answer, seconds: (performance.now() - start) / 1000 };
}

async function answer(order: ThreadsOrder): Promise<ThreadsAnswer | object> {
  if (order.kind === 'generate') return generate(order.text, order.tokens);
  await load(order.origin, order.source, order.threads);
  return {};
}

globalThis.addEventListener('message', ({ data }: MessageEvent<ThreadsOrder>) => {
  answer(data).then(
    (result) => globalThis.postMessage(result),
    (error: unknown) => globalThis.postMessage({ error: error instanceof Error ? error.stack : String(error) }),
  );
});
