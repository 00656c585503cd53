/** What the way through Service Worker, HTTP and SSE costs over our decode loop in a worker of its own. */
import { startInference } from 'inpage';
import OpenAI from 'openai';
import { type BenchRow, compare } from '../bench-row.js';

const TOKENS = 160;
const QUESTION = 'Tell me a very short story about a cat.';
/** Keeps the model from ending its turn, so that both sides write the same number of tokens. */
const NO_END = { '0': -100, '2': -100 };

/** Seconds. */
interface Timing {
  firstToken: number;
  tokensPerSecond: number;
}

export async function transportRows(): Promise<BenchRow[]> {
  const inference = await startInference();
  const openai = new OpenAI({ baseURL: inference.baseURL, apiKey: 'none', dangerouslyAllowBrowser: true });
  const worker = new Worker(new URL('../loop-worker.ts', import.meta.url), { type: 'module' });
  const whole = (): Promise<Timing> => throughClient(openai);
  const bare = (): Promise<Timing> => throughWorker(worker);
  const rows = [
    await compare(
      { name: 'tokens/s: Service Worker + SSE + openai client over our loop', goal: 0.95, unit: 'tokens/s' },
      async () => (await whole()).tokensPerSecond,
      async () => (await bare()).tokensPerSecond,
      7,
    ),
    await compare(
      { name: "time to first token: what the way adds to the loop's own", goal: 3, unit: 'ms', lower: true },
      async () => (await whole()).firstToken * 1000,
      async () => (await bare()).firstToken * 1000,
      21,
    ),
  ];
  worker.terminate();
  await inference.stop();
  return rows;
}

async function throughClient(openai: OpenAI): Promise<Timing> {
  const start = performance.now();
  const stream = await openai.chat.completions.create({
    model: 'tiny-chat',
    messages: [{ role: 'user', content: QUESTION }],
    max_tokens: TOKENS,
    logit_bias: NO_END,
    stream: true,
  });
  let first = 0;
  let last = 0;
  for await (const chunk of stream) {
    if (!chunk.choices[0]?.delta.content) continue;
    last = performance.now();
    first ||= last;
  }
  return { firstToken: (first - start) / 1000, tokensPerSecond: (TOKENS - 1) / ((last - first) / 1000) };
}

function throughWorker(worker: Worker): Promise<Timing> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Timing | string>) =>
      typeof data === 'string' ? reject(new Error(data)) : resolve(data);
    worker.postMessage({ question: QUESTION, maxTokens: TOKENS, logitBias: NO_END, origin: location.origin });
  });
}
