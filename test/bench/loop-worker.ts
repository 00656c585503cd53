/** Our decode loop alone in a worker: what the benchmark compares the whole way with. */
import type { LoadedModel } from '../../src/core/models/backend.js';
import { scriptedBackend } from '../../src/engines/scripted/scripted-backend.js';
import { transformersBackend } from '../../src/engines/transformers/transformers-backend.js';
import { DEFAULT_MODELS } from '../../src/core/models/default-catalog.js';
import type { ModelEntry } from '../../src/core/models/model-entry.js';
import { plainGenerationRequest } from '../../src/core/request/generation-request.js';

/** What to decode. */
export interface LoopOrder {
  /** A scripted model. @default tiny-chat */
  entry?: ModelEntry;
  question: string;
  maxTokens: number;
  logitBias: Record<number, number>;
  origin: string;
}

let model: Promise<LoadedModel> | undefined;

function load(origin: string, scripted?: ModelEntry): Promise<LoadedModel> {
  const [chat] = DEFAULT_MODELS;
  if (!chat) throw new Error('There is no bundled chat model.');
  return (scripted ? scriptedBackend : transformersBackend).load(scripted ?? chat, {
    onProgress: () => {},
    signal: new AbortController().signal,
    assetsURL: `${origin}/inpage/`,
    pageURL: `${origin}/`,
  });
}

async function run({ entry, question, maxTokens, logitBias, origin }: LoopOrder) {
  model ??= load(origin, entry);
  const { generate } = await model;
  const request = plainGenerationRequest('tiny-chat', {
    type: 'chat',
    messages: [{ role: 'user', content: [{ type: 'text', text: question }] }],
  });
  let first = 0;
  let last = 0;
  let tokens = 0;
  const steps = generate?.({ ...request, maxTokens, sampling: { logitBias } }, new AbortController().signal);
  for await (const events of steps ?? []) {
    last = performance.now();
    first ||= last;
    tokens += events.filter(({ type }) => type === 'piece').length;
  }
  return { tokensPerSecond: (tokens - 1) / ((last - first) / 1000) };
}

globalThis.addEventListener('message', ({ data }: MessageEvent<LoopOrder>) => {
  run(data).then(
    (timing) => globalThis.postMessage(timing),
    (error: unknown) => globalThis.postMessage(String(error)),
  );
});
