/** Our loop, transformers.js's `generate` and a bare session loop, on the same file in the same worker. */
import { AutoModelForCausalLM, AutoTokenizer, env, type PreTrainedModel, Tensor } from '@huggingface/transformers';
import { loadTextModel } from '../../src/engines/transformers/text/load-text-model.js';
import type { TextModel } from '../../src/language/decoding/create-text-model.js';
import { DEFAULT_MODELS } from '../../src/core/models/default-catalog.js';
import { plainGenerationRequest, type Sampling } from '../../src/core/request/generation-request.js';

/** What to measure. */
export interface TextOrder {
  kind: 'ours' | 'generate' | 'session' | 'together' | 'one-by-one';
  origin: string;
  /** Makes the prompt a new one, so that nothing of it is kept. */
  round: number;
  tokens: number;
}

const CHOICES = 8;
/** Ends of turn are forbidden, so that all sides write the same number of tokens. */
const NO_END = { 0: -100, 2: -100 };
const { signal } = new AbortController();

let ours: Promise<TextModel> | undefined;
let peer: Promise<PreTrainedModel> | undefined;

function loadOurs(origin: string): Promise<TextModel> {
  const [chat] = DEFAULT_MODELS;
  if (!chat) throw new Error('There is no bundled chat model.');
  return loadTextModel(chat, { onProgress: () => {}, signal, assetsURL: `${origin}/inpage/`, pageURL: `${origin}/` });
}

/** transformers.js as it comes, but for where its files are: this must be the worker's first model. */
async function loadAsItComes(origin: string): Promise<PreTrainedModel> {
  const file = `${origin}/ort/ort-wasm-simd-threaded.asyncify`;
  Object.assign(env.backends.onnx.wasm ?? {}, { wasmPaths: { mjs: `${file}.mjs`, wasm: `${file}.wasm` } });
  Object.assign(env, { allowLocalModels: true, allowRemoteModels: false, localModelPath: '/' });
  return loadPeer();
}

function loadPeer(): Promise<PreTrainedModel> {
  return AutoModelForCausalLM.from_pretrained('/models/tiny-chat', { device: 'wasm', dtype: 'q8' });
}

const promptOf = (round: number): string =>
  `<|im_start|>user\n${round}: Tell me a very short story about a cat.<|im_end|>\n<|im_start|>assistant\n`;

async function decode(
  model: TextModel,
  order: TextOrder,
  n: number,
  sampling: Sampling,
): Promise<{ ids: number[]; tokens: number }> {
  const request = plainGenerationRequest('tiny-chat', { type: 'raw', text: promptOf(order.round) });
  const ids: number[] = [];
  let tokens = 0;
  const asked = { ...request, n, maxTokens: order.tokens, sampling: { ...sampling, logitBias: NO_END } };
  for await (const events of model.generate(asked, signal)) {
    for (const event of events) {
      if (event.type !== 'piece') continue;
      tokens += 1;
      if (event.choice === 0 && event.token !== undefined) ids.push(event.token);
    }
  }
  return { ids, tokens };
}

let tokenizer: Promise<{ encode(text: string): number[] }> | undefined;

async function promptIds(order: TextOrder): Promise<number[]> {
  tokenizer ??= AutoTokenizer.from_pretrained('/models/tiny-chat');
  return (await tokenizer).encode(promptOf(order.round));
}

async function generate(model: PreTrainedModel, ids: number[], tokens: number): Promise<number[]> {
  const input = new Tensor('int64', BigInt64Array.from(ids, BigInt), [1, ids.length]);
  const mask = new Tensor('int64', new BigInt64Array(ids.length).fill(1n), [1, ids.length]);
  const options = {
    inputs: input,
    attention_mask: mask,
    max_new_tokens: tokens,
    do_sample: false,
    suppress_tokens: [0, 2],
  };
  const output = (await model.generate(options)) as unknown as { tolist(): bigint[][] };
  return output.tolist()[0]!.slice(ids.length).map(Number);
}

interface Session {
  inputNames: string[];
  inputMetadata: { name: string; shape: (number | string)[] }[];
  run(feeds: Record<string, unknown>): Promise<Record<string, { dims: number[]; data: Float32Array }>>;
}

/** The least that a greedy loop can do: feed, run, take the best. */
async function sessionLoop(model: PreTrainedModel, prompt: number[], tokens: number): Promise<number[]> {
  const session = (model.sessions as Record<string, unknown>)['model'] as Session;
  const raw = (data: BigInt64Array | Float32Array, dims: number[]): unknown =>
    (new Tensor(data instanceof Float32Array ? 'float32' : 'int64', data, dims) as unknown as { ort_tensor: unknown })
      .ort_tensor;
  let state: Record<string, unknown> = {};
  for (const { name, shape } of session.inputMetadata) {
    if (!name.startsWith('past')) continue;
    state[name] = raw(
      new Float32Array(0),
      shape.map((size, index) => (typeof size === 'number' ? size : index === 0 ? 1 : 0)),
    );
  }
  let input = prompt;
  let past = 0;
  const chosen: number[] = [];
  while (chosen.length < tokens) {
    const outputs = await session.run({
      ...state,
      input_ids: raw(BigInt64Array.from(input, BigInt), [1, input.length]),
      attention_mask: raw(new BigInt64Array(past + input.length).fill(1n), [1, past + input.length]),
      num_logits_to_keep: raw(BigInt64Array.of(1n), []),
    });
    past += input.length;
    const logits = outputs['logits']!.data;
    let best = 1;
    for (let token = 0; token < logits.length; token++)
      if (token !== 0 && token !== 2 && logits[token]! > logits[best]!) best = token;
    chosen.push(best);
    input = [best];
    const next = Object.entries(outputs).filter(([name]) => name.startsWith('present'));
    state = Object.fromEntries(next.map(([name, tensor]) => [name.replace('present', 'past_key_values'), tensor]));
  }
  return chosen;
}

/** Tokens per second and, for greedy ways, which tokens. */
async function measure(order: TextOrder): Promise<{ rate: number; ids: number[] }> {
  if (order.kind === 'generate') {
    const model = await (peer ??= loadAsItComes(order.origin));
    const prompt = await promptIds(order);
    return timed(async () => generate(model, prompt, order.tokens));
  }
  const model = await (ours ??= loadOurs(order.origin));
  if (order.kind === 'session') {
    const bare = await (peer ??= loadPeer());
    const prompt = await promptIds(order);
    return timed(async () => sessionLoop(bare, prompt, order.tokens));
  }
  if (order.kind === 'ours') return timed(async () => (await decode(model, order, 1, {})).ids);
  const seeds = order.kind === 'together' ? [0] : Array.from({ length: CHOICES }, (_, seed) => seed);
  const start = performance.now();
  let tokens = 0;
  for (const seed of seeds)
    tokens += (await decode(model, order, CHOICES / seeds.length, { temperature: 1, seed })).tokens;
  return { rate: tokens / ((performance.now() - start) / 1000), ids: [] };
}

async function timed(run: () => Promise<number[]>): Promise<{ rate: number; ids: number[] }> {
  const start = performance.now();
  const ids = await run();
  return { rate: ids.length / ((performance.now() - start) / 1000), ids };
}

globalThis.addEventListener('message', ({ data }: MessageEvent<TextOrder>) => {
  measure(data).then(
    (result) => globalThis.postMessage(result),
    (error: unknown) => globalThis.postMessage({ error: error instanceof Error ? error.stack : String(error) }),
  );
});
