/** What the runner calls in the page; it measures from outside. */
import { type InferenceOptions, type PageInference, startInference } from 'inpage';
import { askWorker } from '../ask-worker.js';
import type { EngineAnswer, EngineOrder } from './engine-worker.js';
import type { ThreadsAnswer, ThreadsOrder } from './threads-worker.js';

/** Below the server's root. */
const SOURCE = '/models/real';
const NO_END = { 0: -100, 2: -100 };
/** Where the package of wllama and the model for it are served, see `--wllama`. */
const WLLAMA = `${location.origin}/wllama/`;
const GGUF = `${location.origin}/models/real/model-Q4_0.gguf`;

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
  /** Loads an engine into a worker of its own. */
  async load(engine: 'ours' | 'bare'): Promise<void> {
    const worker = new Worker(new URL('./engine-worker.ts', import.meta.url), { type: 'module' });
    workers.set(engine, worker);
    const order: EngineOrder = { kind: 'load', engine, origin: location.origin, source: SOURCE };
    await askWorker<EngineAnswer>(worker, order);
  },
  async generate(engine: 'ours' | 'bare', text: string, tokens: number): Promise<EngineAnswer> {
    const order: EngineOrder = { kind: 'generate', text, tokens };
    return askWorker<EngineAnswer>(workers.get(engine)!, order);
  },
  /** Ours reads a text and is made to say another. */
  async say(text: string, say: string): Promise<EngineAnswer> {
    const order: EngineOrder = { kind: 'say', text, say };
    return askWorker<EngineAnswer>(workers.get('ours')!, order);
  },
  end(engine: 'ours' | 'bare'): void {
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
  /** The service as an app has it. @param gguf name of the file; absent: the ONNX model */
  async start(more: InferenceOptions = {}, gguf?: string): Promise<void> {
    const chat = { id: 'm', task: 'chat' } as const;
    inference = await startInference({
      ...more,
      models: [
        gguf === undefined
          ? { ...chat, backend: 'transformers', source: SOURCE, device: 'wasm' }
          : { ...chat, backend: 'gguf', source: `${SOURCE}/${gguf}` },
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
  async complete(prompt: string, tokens: number): Promise<EngineAnswer> {
    const body = { model: 'm', prompt, max_tokens: tokens, temperature: 0, logit_bias: NO_END };
    const init = { method: 'POST', body: JSON.stringify(body) };
    const response = await inference!.fetch(`${inference!.baseURL}/completions`, init);
    const { usage } = (await response.json()) as { usage: { prompt_tokens: number; completion_tokens: number } };
    return { prompt: usage.prompt_tokens, tokens: usage.completion_tokens };
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

async function chat(messages: ChatMessage[], tokens: number, more: object): Promise<ChatAnswer> {
  const response = await ask(messages, tokens, more);
  const answer = (await response.json()) as {
    choices: { message: { content: string } }[];
    usage: { prompt_tokens: number; completion_tokens: number };
  };
  const { prompt_tokens: prompt, completion_tokens: made } = answer.usage;
  return { text: answer.choices[0]!.message.content, prompt, tokens: made };
}

/** The calls by name. */
export type PageCalls = typeof calls;

Object.assign(globalThis, { bench: calls });
