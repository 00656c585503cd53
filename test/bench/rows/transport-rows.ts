/** What the way through Service Worker, HTTP and SSE costs over our decode loop in a worker of its own. */
import { startInference } from 'inpage';
import OpenAI from 'openai';
import { type BenchRow, compare, median } from '../bench-row.js';

const TOKENS = 160;
const QUESTION = 'Tell me a very short story about a cat.';
/** Keeps the model from ending its turn, so that both sides write the same number of tokens. */
const NO_END = { '0': -100, '2': -100 };

/** Seconds. */
interface Timing {
  firstToken: number;
  /** What the engine itself says of the same request. */
  engineFirstToken: number;
  tokensPerSecond: number;
}

export async function transportRows(): Promise<BenchRow[]> {
  const inference = await startInference();
  const openai = new OpenAI({ baseURL: inference.baseURL, apiKey: 'none', dangerouslyAllowBrowser: true });
  const worker = new Worker(new URL('../loop-worker.ts', import.meta.url), { type: 'module' });
  const whole = (): Promise<Timing> => throughClient(openai);
  const bare = (): Promise<Pick<Timing, 'tokensPerSecond'>> => throughWorker(worker);
  const rows = [
    await compare(
      { name: 'tokens/s: Service Worker + SSE + openai client over our loop', goal: 0.98, unit: 'tokens/s' },
      async () => (await whole()).tokensPerSecond,
      async () => (await bare()).tokensPerSecond,
      7,
    ),
    await addedToFirstToken(whole),
  ];
  worker.terminate();
  await inference.stop();
  return rows;
}

/** The engine's own time comes with the same answer, so that a cold cache in between does not count as the relay's. */
async function addedToFirstToken(whole: () => Promise<Timing>): Promise<BenchRow> {
  const timings: Timing[] = [];
  for (let round = 0; round < 21; round++) timings.push(await whole());
  const milliseconds = (pick: (timing: Timing) => number): number =>
    median(timings.map((timing) => pick(timing) * 1000));
  return {
    name: "time to first token: what the way adds to the engine's own",
    ours: milliseconds((timing) => timing.firstToken),
    peer: milliseconds((timing) => timing.engineFirstToken),
    ratio: milliseconds((timing) => timing.firstToken - timing.engineFirstToken),
    goal: 5,
    unit: 'ms',
    lower: true,
  };
}

async function throughClient(openai: OpenAI): Promise<Timing> {
  const start = performance.now();
  const stream = await openai.chat.completions.create({
    model: 'tiny-chat',
    messages: [{ role: 'user', content: QUESTION }],
    max_tokens: TOKENS,
    logit_bias: NO_END,
    stream: true,
    stream_options: { include_usage: true },
  });
  let first = 0;
  let last = 0;
  let engineFirstToken = 0;
  for await (const chunk of stream) {
    // A field of this service, which the client's types do not know.
    const usage = chunk.usage as { time_to_first_token?: number } | null | undefined;
    engineFirstToken = usage?.time_to_first_token ?? engineFirstToken;
    if (!chunk.choices[0]?.delta.content) continue;
    last = performance.now();
    first ||= last;
  }
  const tokensPerSecond = (TOKENS - 1) / ((last - first) / 1000);
  return { firstToken: (first - start) / 1000, engineFirstToken, tokensPerSecond };
}

function throughWorker(worker: Worker): Promise<Pick<Timing, 'tokensPerSecond'>> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Pick<Timing, 'tokensPerSecond'> | string>) =>
      typeof data === 'string' ? reject(new Error(data)) : resolve(data);
    worker.postMessage({ question: QUESTION, maxTokens: TOKENS, logitBias: NO_END, origin: location.origin });
  });
}
