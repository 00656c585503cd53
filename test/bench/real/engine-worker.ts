/** Our text model, or transformers.js as it comes, on the real model; each in a worker of its own. */
import { AutoModelForCausalLM, AutoTokenizer, env, type PreTrainedModel, Tensor } from '@huggingface/transformers';
import { loadTextModel } from '../../../src/engines/transformers/text/load-text-model.js';
import type { TextModel } from '../../../src/language/decoding/create-text-model.js';
import { TokenSampler } from '../../../src/language/sampling/sample-token.js';
import { plainGenerationRequest } from '../../../src/core/request/generation-request.js';

/** What to do. The first order of a worker is `load`. */
export type EngineOrder =
  | { kind: 'load'; engine: 'ours' | 'bare'; origin: string; source: string; dtype?: GpuDtype | undefined }
  /** @param rows of transformers.js: so many answers at once */
  | { kind: 'generate'; text: string; tokens: number; rows?: number }
  /** Ours only: the model is made to say a text, since what a random one would say is no edit of anything. */
  | { kind: 'say'; text: string; say: string };

/** Of transformers.js on WebGPU. */
export type GpuDtype = 'q4' | 'q4f16';

/** Tokens read and made. */
export interface EngineAnswer {
  prompt: number;
  tokens: number;
}

const { signal } = new AbortController();
/** Ends of turn are forbidden, so that both sides write the same number of tokens. */
const NO_END = { 0: -100, 2: -100 };

type Generate = (text: string, tokens: number, rows?: number) => Promise<EngineAnswer>;
let generate: Generate | undefined;
let encode: ((text: string) => number[]) | undefined;

async function loadOurs(origin: string, source: string): Promise<Generate> {
  const model: TextModel = await loadTextModel(
    { id: 'm', task: 'chat', backend: 'transformers', source, device: 'wasm', dtype: 'q8' },
    { onProgress: () => {}, signal, assetsURL: `${origin}/inpage/`, pageURL: `${origin}/` },
  );
  const tokenizer = await AutoTokenizer.from_pretrained(source);
  encode = (text) => tokenizer.encode(text);
  return async (text, maxTokens) => {
    const request = plainGenerationRequest('m', { type: 'raw', text });
    const answer = { prompt: 0, tokens: 0 };
    for await (const events of model.generate({ ...request, maxTokens, sampling: { logitBias: NO_END } }, signal)) {
      for (const event of events) {
        if (event.type === 'prompt') answer.prompt = event.promptTokens;
        if (event.type === 'piece') answer.tokens += 1;
      }
    }
    return answer;
  };
}

/** Nothing is set but where its files are. @param dtype on WebGPU; undefined: 8 bits on WASM */
async function loadBare(origin: string, source: string, dtype: GpuDtype | undefined): Promise<Generate> {
  const file = `${origin}/ort/ort-wasm-simd-threaded.asyncify`;
  Object.assign(env.backends.onnx.wasm ?? {}, { wasmPaths: { mjs: `${file}.mjs`, wasm: `${file}.wasm` } });
  Object.assign(env, { allowLocalModels: true, allowRemoteModels: false, localModelPath: '/' });
  const on = dtype === undefined ? ({ device: 'wasm', dtype: 'q8' } as const) : ({ device: 'webgpu', dtype } as const);
  const model: PreTrainedModel = await AutoModelForCausalLM.from_pretrained(source, on);
  const tokenizer = (await AutoTokenizer.from_pretrained(source)) as unknown as { encode(text: string): number[] };
  return async (text, tokens, rows = 1) => {
    const ids = tokenizer.encode(text);
    const size = [rows, ids.length];
    const all = Array.from({ length: rows }, () => ids).flat();
    const inputs = new Tensor('int64', BigInt64Array.from(all, BigInt), size);
    const attention_mask = new Tensor('int64', new BigInt64Array(all.length).fill(1n), size);
    const options = { max_new_tokens: tokens, do_sample: false, suppress_tokens: [0, 2] };
    await model.generate({ inputs, attention_mask, ...options });
    return { prompt: all.length, tokens: rows * tokens };
  };
}

/** Every pass is run as ever; only what is chosen of its logits is given. */
async function say(text: string, words: string): Promise<EngineAnswer> {
  const tokens = encode!(words);
  const { sample } = TokenSampler.prototype;
  let next = 0;
  TokenSampler.prototype.sample = () => tokens[next++]!;
  try {
    return await generate!(text, tokens.length);
  } finally {
    TokenSampler.prototype.sample = sample;
  }
}

async function answer(order: EngineOrder): Promise<EngineAnswer> {
  if (order.kind === 'load') {
    const { engine, origin, source, dtype } = order;
    generate = await (engine === 'ours' ? loadOurs(origin, source) : loadBare(origin, source, dtype));
    return { prompt: 0, tokens: 0 };
  }
  if (!generate) throw new Error('No engine is loaded.');
  if (order.kind === 'say') return say(order.text, order.say);
  return generate(order.text, order.tokens, order.rows);
}

globalThis.addEventListener('message', ({ data }: MessageEvent<EngineOrder>) => {
  answer(data).then(
    (result) => globalThis.postMessage(result),
    (error: unknown) => globalThis.postMessage({ error: error instanceof Error ? error.stack : String(error) }),
  );
});
