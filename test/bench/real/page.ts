/** What the runner calls in the page; it measures from outside. */
import { type InferenceOptions, type PageInference, startInference } from 'inpage';
import { askWorker } from '../ask-worker.js';
import type { EngineAnswer, EngineOrder, GpuDtype } from './engine-worker.js';
import type { ThreadsAnswer, ThreadsOrder } from './threads-worker.js';
import type { WebLlmOrder } from './web-llm-worker.js';

/** Below the server's root. */
const SOURCE = '/models/real';
const NO_END = { 0: -100, 2: -100 };
/** Where the package of wllama and the model for it are served, see `--wllama`. */
const WLLAMA = `${location.origin}/wllama/`;
const GGUF = `${location.origin}/models/real/model-Q4_0.gguf`;
/** Where a model of WebLLM is served, see `INPAGE_WEBLLM_MODEL`. It adds `resolve/main/` itself where that is missing. */
const WEB_LLM = `${location.origin}/web-llm/resolve/main/`;

/** What is called of wllama 3, which is no package of this repository. */
interface Wllama {
  loadModelFromUrl(url: string, options: object): Promise<void>;
  createCompletion(options: object): Promise<{ usage: { prompt_tokens: number; completion_tokens: number } }>;
}

interface ChatMessage {
  role: string;
  content: string;
}

/** One answer of the service. */
export interface ChatAnswer {
  text: string;
  prompt: number;
  tokens: number;
}

const workers = new Map<string, Worker>();
let inference: PageInference | undefined;
let llama: Wllama | undefined;

const calls = {
  /** Loads an engine into a worker of its own. @param dtype of transformers.js on WebGPU */
  async load(engine: 'ours' | 'bare', dtype?: GpuDtype): Promise<void> {
    const worker = new Worker(new URL('./engine-worker.ts', import.meta.url), { type: 'module' });
    workers.set(engine, worker);
    const order: EngineOrder = { kind: 'load', engine, origin: location.origin, source: SOURCE, dtype };
    await askWorker<EngineAnswer>(worker, order);
  },
  async generate(engine: 'ours' | 'bare', text: string, tokens: number, rows = 1): Promise<EngineAnswer> {
    const order: EngineOrder = { kind: 'generate', text, tokens, rows };
    return askWorker<EngineAnswer>(workers.get(engine)!, order);
  },
  async loadWebLlm(isOlder: boolean): Promise<void> {
    const worker = new Worker(new URL('./web-llm-worker.ts', import.meta.url), { type: 'module' });
    workers.set('web-llm', worker);
    const order: WebLlmOrder = { kind: 'load', source: WEB_LLM, isOlder };
    await askWorker<EngineAnswer>(worker, order);
  },
  async generateWebLlm(text: string, tokens: number): Promise<EngineAnswer> {
    const order: WebLlmOrder = { kind: 'generate', text, tokens };
    return askWorker<EngineAnswer>(workers.get('web-llm')!, order);
  },
  /** Ours reads a text and is made to say another. */
  async say(text: string, say: string): Promise<EngineAnswer> {
    const order: EngineOrder = { kind: 'say', text, say };
    return askWorker<EngineAnswer>(workers.get('ours')!, order);
  },
  end(engine: 'ours' | 'bare' | 'web-llm' | `threads-${number}`): void {
    workers.get(engine)?.terminate();
    workers.delete(engine);
  },
  /** The GGUF engine in a worker of its own, with so many threads. @param gguf name of the file */
  async loadThreads(threads: number, gguf: string): Promise<void> {
    const worker = new Worker(new URL('./threads-worker.ts', import.meta.url), { type: 'module' });
    workers.set(`threads-${threads}`, worker);
    const source = `${location.origin}${SOURCE}/${gguf}`;
    const order: ThreadsOrder = { kind: 'load', origin: location.origin, source, threads };
    await askWorker(worker, order);
  },
  async generateThreads(threads: number, text: string, tokens: number): Promise<ThreadsAnswer> {
    const order: ThreadsOrder = { kind: 'generate', text, tokens };
    return askWorker<ThreadsAnswer>(workers.get(`threads-${threads}`)!, order);
  },
  /** llama.cpp in WASM, in the worker that it starts itself. */
  async loadWllama(): Promise<void> {
    const { Wllama: Llama } = (await import(/* @vite-ignore */ `${WLLAMA}index.js`)) as {
      Wllama: new (files: object, options: object) => Wllama;
    };
    llama = new Llama({ default: `${WLLAMA}wasm/wllama.wasm` }, { suppressNativeLog: true });
    await llama.loadModelFromUrl(GGUF, { n_ctx: 4096, n_threads: 1, n_gpu_layers: 0 });
  },
  async generateWllama(prompt: string, tokens: number): Promise<EngineAnswer> {
    const options = { max_tokens: tokens, temperature: 0, logit_bias: NO_END, ignore_eos: true, cache_prompt: false };
    const { usage } = await llama!.createCompletion({ prompt, ...options });
    return { prompt: usage.prompt_tokens, tokens: usage.completion_tokens };
  },
  /** The service as an app has it. @param gguf name of the file; absent: the ONNX model. @param device of the file */
  async start(more: InferenceOptions = {}, gguf?: string, device?: 'webgpu'): Promise<void> {
    const chat = { id: 'm', task: 'chat' } as const;
    inference = await startInference({
      ...more,
      models: [
        gguf === undefined
          ? { ...chat, backend: 'transformers', source: SOURCE, device: 'wasm' }
          : { ...chat, backend: 'gguf', source: `${SOURCE}/${gguf}`, ...(device && { device }) },
      ],
      serviceWorker: false,
    });
    await inference.load('m');
  },
  /** Keeps a chat's prompt. @returns bytes of all prompts on the disk */
  async cachePrompt(messages: ChatMessage[]): Promise<number> {
    await inference!.cachePrompt('m', messages);
    return (await inference!.stored()).reduce((sum, { promptCache }) => sum + (promptCache?.bytes ?? 0), 0);
  },
  /** Asks for several chats at once. */
  chats(chats: ChatMessage[][], tokens: number, more: object = {}): Promise<ChatAnswer[]> {
    return Promise.all(chats.map((messages) => chat(messages, tokens, more)));
  },
  /** Continues a text, without a chat's template. */
  complete(prompt: string, tokens: number): Promise<EngineAnswer> {
    return complete(prompt, tokens, { logit_bias: NO_END });
  },
  /** Continues texts at once, by tokens that a GPU chooses itself. The heads of the models for it say no end. */
  async completeAll(prompts: string[], tokens: number): Promise<EngineAnswer> {
    const answers = await Promise.all(prompts.map((prompt) => complete(prompt, tokens)));
    const sum = (of: 'prompt' | 'tokens'): number => answers.reduce((all, answer) => all + answer[of], 0);
    return { prompt: sum('prompt'), tokens: sum('tokens') };
  },
  /** What the browser's GPU is; undefined: there is none. */
  async gpu(): Promise<{ name: string; isSimulated: boolean; hasHalves: boolean } | undefined> {
    const adapter = await navigator.gpu?.requestAdapter({ powerPreference: 'high-performance' });
    if (!adapter) return undefined;
    const { vendor, architecture, device, description, isFallbackAdapter: isSimulated } = adapter.info;
    const name = [description || device, vendor, architecture].filter(Boolean).join(', ') || 'unnamed';
    return { name, isSimulated, hasHalves: adapter.features.has('shader-f16') };
  },
  /** Asks whether each question is true of the input. @returns how many tokens were read */
  async decide(input: string, questions: string[]): Promise<number> {
    const asked = questions.map((instructions) => ({ type: 'predicate', instructions }));
    const init = { method: 'POST', body: JSON.stringify({ model: 'm', input, questions: asked }) };
    const response = await inference!.fetch(`${inference!.baseURL}/decisions`, init);
    const { answers, usage } = (await response.json()) as { answers: unknown[]; usage: { input_tokens: number } };
    if (answers.length !== questions.length) throw new Error(`${answers.length} answers came.`);
    return usage.input_tokens;
  },
  /** Streams several chats at once. Seconds until each began and ended. */
  stream(chats: ChatMessage[][], tokens: number): Promise<{ began: number; ended: number }[]> {
    const start = performance.now();
    const since = (): number => (performance.now() - start) / 1000;
    return Promise.all(chats.map((messages) => streamed(messages, tokens, since)));
  },
};

function ask(messages: ChatMessage[], tokens: number, more: object): Promise<Response> {
  const body = { model: 'm', messages, max_tokens: tokens, logit_bias: NO_END, ...more };
  return inference!.fetch(`${inference!.baseURL}/chat/completions`, { method: 'POST', body: JSON.stringify(body) });
}

/** Reads a stream to its end. */
async function streamed(
  messages: ChatMessage[],
  tokens: number,
  now: () => number,
): Promise<{ began: number; ended: number }> {
  const response = await ask(messages, tokens, { stream: true });
  let began = Infinity;
  for (const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return { began, ended: now() };
    if (/"content":"[^"]/.test(value)) began = Math.min(began, now());
  }
}

async function complete(prompt: string, tokens: number, more: object = {}): Promise<EngineAnswer> {
  const body = { model: 'm', prompt, max_tokens: tokens, temperature: 0, ...more };
  const init = { method: 'POST', body: JSON.stringify(body) };
  const response = await inference!.fetch(`${inference!.baseURL}/completions`, init);
  const { usage } = (await response.json()) as { usage: { prompt_tokens: number; completion_tokens: number } };
  return { prompt: usage.prompt_tokens, tokens: usage.completion_tokens };
}

async function chat(messages: ChatMessage[], tokens: number, more: object): Promise<ChatAnswer> {
  const response = await ask(messages, tokens, more);
  const answer = (await response.json()) as {
    choices: { message: { content: string } }[];
    usage: { prompt_tokens: number; completion_tokens: number };
  };
  const { prompt_tokens: prompt, completion_tokens: made } = answer.usage;
  return { text: answer.choices[0]!.message.content, prompt, tokens: made };
}

let last = 0;
/** By the page's clock: the way to the runner and back is left out. */
const clocked = Object.fromEntries(
  Object.entries<(...given: never[]) => unknown>(calls).map(([name, run]) => [
    name,
    async (...given: never[]) => {
      const start = performance.now();
      try {
        return await run(...given);
      } finally {
        last = (performance.now() - start) / 1000;
      }
    },
  ]),
);
/** Seconds of the call before. */
const lastSeconds = (): number => last;

/** The calls by name. */
export type PageCalls = typeof calls & { lastSeconds: typeof lastSeconds };

Object.assign(globalThis, { bench: { ...clocked, lastSeconds } });
