/** What the way of a token costs, apart from the model: a scripted one, whose tokens come for nothing. */
import { type ModelEntry, startInference } from 'inpage';
import { type BenchRow, compare } from '../bench-row.js';
import type { LoopOrder } from '../loop-worker.js';

const TOKENS = 4_000;
const ROUNDS = 9;
const MODEL: ModelEntry = {
  id: 'scripted',
  task: 'chat',
  backend: 'scripted',
  contextLength: 2 * TOKENS,
  script: { replies: [{ text: 'word ', repeat: TOKENS }] },
};
const QUESTION = 'Tell me a very long story.';

export async function pipelineRows(): Promise<BenchRow[]> {
  const inference = await startInference({
    models: [MODEL],
    rateLimits: { requestsPerMinute: 10_000, requestsPerDay: 100_000 },
  });
  const worker = new Worker(new URL('../loop-worker.ts', import.meta.url), { type: 'module' });
  const order: LoopOrder = {
    entry: MODEL,
    question: QUESTION,
    maxTokens: TOKENS,
    logitBias: {},
    origin: location.origin,
  };
  const throughWorker = () => alone(worker, order);
  const rows = [
    await compare(
      { name: 'tokens/s: a scripted model through the Service Worker', goal: 0.2, unit: 'tokens/s' },
      () => stream(fetch, inference.baseURL),
      throughWorker,
      ROUNDS,
    ),
    await compare(
      { name: 'tokens/s: a scripted model through inference.fetch', goal: 0.2, unit: 'tokens/s' },
      () => stream(inference.fetch, inference.baseURL),
      throughWorker,
      ROUNDS,
    ),
  ];
  worker.terminate();
  await inference.stop();
  return rows;
}

/** Tokens per second from the first event to the last. */
async function stream(ask: typeof fetch, baseURL: string): Promise<number> {
  const response = await ask(`${baseURL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: MODEL.id,
      messages: [{ role: 'user', content: QUESTION }],
      max_tokens: TOKENS,
      stream: true,
    }),
  });
  let first = 0;
  let text = '';
  const decoder = new TextDecoder();
  for (const reader = response.body!.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    first ||= performance.now();
    text += decoder.decode(value, { stream: true });
  }
  const seconds = (performance.now() - first) / 1000;
  const tokens = text.split('"content":"').length - 2;
  if (tokens < TOKENS / 2) throw new Error(`Only ${tokens} tokens came: ${text.slice(0, 300)}`);
  return tokens / seconds;
}

function alone(worker: Worker, order: LoopOrder): Promise<number> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<{ tokensPerSecond: number } | string>) =>
      typeof data === 'string' ? reject(new Error(data)) : resolve(data.tokensPerSecond);
    worker.postMessage(order);
  });
}
