/**
 * The GGUF engine on a GPU, as the service has it, beside what else runs in the same page: transformers.js and WebLLM on the same GPU, and
 * the WASM engine with one thread. The same shape of random weights, in turns; by the page's clock, or where the processor plays GPU
 * in the processor time of the whole browser.
 * @module
 */
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Browser, chromium } from 'playwright';
import {
  CHROMIUM,
  CHROMIUM_ARGUMENTS,
  OWN_GPU,
  OWN_GPU_NO_DISPLAY,
  SWIFTSHADER,
  wholeBrowser,
} from '../../support/chromium.js';
import type { BenchRow } from '../bench-row.js';
import { processorTimes, secondsBetween } from '../processor-seconds.js';
import { makeRealGguf, makeRealModel } from '../real/make-real-model.js';
import { decodeRate, type Generate, inTurns, openPage, promptRate, type Side } from '../real/measure.js';
import { type DecoderShape, GPU_SHAPES } from '../real/random-decoder.js';
import type { PageCalls } from '../real/page.js';
import { WORDS } from '../real/random-tokenizer.js';
import { type Call, text } from '../real/real-page.js';
import { type WebLlmFolder, webLlmBytes } from './web-llm-folder.js';

const FILE = 'model-Q4_0.gguf';
const TOGETHER = 8;
/** Of a weight of a layer and of the table in that file, scales included. */
const BITS = [4.5, 8.5] as const;

/** How much is measured: a GPU in software is slow. */
interface Effort {
  prompts: readonly number[];
  /** Of an answer. */
  tokens: number;
  rounds: number;
  /** Of ratios of speeds: none on a GPU in software. */
  goal?: number;
}
const REAL: Effort = { prompts: [512, 1024], tokens: 129, rounds: 3, goal: 1 };
/** By size of the model. */
const SIMULATED: Readonly<Record<keyof typeof GPU_SHAPES, Effort>> = {
  small: { prompts: [512], tokens: 33, rounds: 1 },
  '0.5B': { prompts: [8], tokens: 3, rounds: 1 },
};

export interface GpuPeersOptions {
  /** The shape of 0.5 billion weights, also where the processor plays GPU. */
  isReal: boolean;
  origin: string;
  /** Where the server has `/models/real`, and where models are made. */
  served: string;
  cache: string;
  webLlm: WebLlmFolder | undefined;
  /** What is said before and between the rows. */
  say(line: string): void;
}

type Gpu = NonNullable<Awaited<ReturnType<PageCalls['gpu']>>>;

interface Peer {
  name: string;
  /** Of weights that a token reads. */
  bytes: number;
  side: Side;
  /** So many answers at once. */
  together?: Generate;
  load(): Promise<void>;
  end(): Promise<void>;
}

/** Milliseconds for an adapter: with flags that do not fit the machine, some never come. */
const ADAPTER_TIMEOUT_MS = 20_000;

interface OpenGpu {
  browser: Browser;
  call: Call;
  gpu: Gpu;
  flags: readonly string[];
}

/** With this machine's GPU, by the first flags that find it; else with one in software. */
async function openGpu(origin: string): Promise<OpenGpu> {
  const whole = wholeBrowser ? { executablePath: wholeBrowser } : { channel: 'chromium' };
  const tries = [
    { ...CHROMIUM, args: OWN_GPU },
    { ...CHROMIUM, args: OWN_GPU_NO_DISPLAY },
    { ...whole, args: OWN_GPU_NO_DISPLAY },
    { ...CHROMIUM, args: SWIFTSHADER },
  ];
  for (const { args, ...browser } of tries) {
    // Of some machines only one of the two browsers is there.
    const launched = await chromium
      .launch({ ...browser, args: [...CHROMIUM_ARGUMENTS, ...args] })
      .catch((error: unknown) => void process.stderr.write(`${String(error).split('\n')[0]}\n`));
    const opened = launched && (await tryGpu(launched, origin));
    if (opened && (args === SWIFTSHADER || !opened.gpu.isSimulated)) return { ...opened, flags: args };
    await opened?.browser.close();
  }
  throw new Error('Chromium finds no GPU here, and simulates none.');
}

async function tryGpu(browser: Browser, origin: string): Promise<Omit<OpenGpu, 'flags'> | undefined> {
  const { call } = await openPage(browser, origin);
  const gpu = await Promise.race([call('gpu').catch(() => undefined), delay(ADAPTER_TIMEOUT_MS, undefined)]);
  if (gpu) return { browser, call, gpu };
  await browser.close();
  return undefined;
}

/** Bytes of weights that a token reads, with so many bits for each weight of a layer and of the head. */
function bytesOf(
  { hidden, layers, heads, keyHeads, width, inner, vocabulary }: DecoderShape,
  bits: number,
  head: number,
) {
  const layer = 2 * hidden * width * (heads + keyHeads) + 3 * hidden * inner;
  return (layers * layer * bits + vocabulary * hidden * head) / 8;
}

function peersOf(call: Call, gpu: Gpu, shape: DecoderShape, spent: Side['seconds'], webLlm: WebLlmFolder | undefined) {
  const dtype = gpu.hasHalves ? 'q4f16' : 'q4';
  const transformers: Peer = {
    name: `transformers.js in ${dtype}`,
    // A scale for each 32 weights.
    bytes: gpu.hasHalves ? bytesOf(shape, 4.5, 4.5) : bytesOf(shape, 5, 5),
    side: { generate: (prompt, tokens) => call('generate', 'bare', prompt, tokens), again: true, seconds: spent },
    together: (prompt, tokens) => call('generate', 'bare', prompt, tokens, TOGETHER),
    load: () => call('load', 'bare', dtype),
    end: () => call('end', 'bare'),
  };
  const wasm: Peer = {
    name: 'the WASM engine, one thread',
    bytes: bytesOf(shape, ...BITS),
    side: {
      async generate(prompt, tokens) {
        const { prompt: read, tokens: made } = await call('generateThreads', 1, prompt, tokens);
        return { prompt: read, tokens: made.length };
      },
      again: false,
      seconds: spent,
    },
    load: () => call('loadThreads', 1, FILE),
    end: () => call('end', 'threads-1'),
  };
  if (!webLlm) return [transformers, wasm];
  const other: Peer = {
    name: webLlm.name,
    bytes: webLlmBytes(webLlm),
    side: { generate: (prompt, tokens) => call('generateWebLlm', prompt, tokens), again: true, seconds: spent },
    load: () => call('loadWebLlm', webLlm.isOlder),
    end: () => call('end', 'web-llm'),
  };
  return [transformers, other, wasm];
}

/** Ours, as an app asks it. */
function oursOf(call: Call, seconds: Side['seconds']): Side & { together: Generate } {
  return {
    generate: (prompt, tokens) => call('completeAll', [prompt], tokens),
    again: false,
    seconds,
    // Of another first word each, so that they share nothing that was read.
    together: (prompt, tokens) =>
      call(
        'completeAll',
        WORDS.slice(0, TOGETHER).map((word) => `${word} ${prompt}`),
        tokens,
      ),
  };
}

async function* beside(
  ours: ReturnType<typeof oursOf>,
  { name, bytes, side, together }: Peer,
  shape: DecoderShape,
  { prompts, tokens, rounds, goal }: Effort,
): AsyncGenerator<BenchRow> {
  const own = bytesOf(shape, ...BITS) / 1e6;
  const read = { name: `weights that a token reads, over ${name}`, unit: 'MB', lower: true };
  // The table of our file has 8 bits, as llama.cpp's files have it.
  yield { ...read, ours: own, peer: bytes / 1e6, ratio: own / (bytes / 1e6), goal: 1.3 };
  const length = Math.min(64, prompts[0]!);
  // The first passes of a kind compile shaders, and find out how many rows take a moment.
  for (const { generate } of [ours, side])
    for (const count of new Set([length, ...prompts])) await generate(text(count), 2);
  for (const count of prompts) {
    const row = { name: `prompt of ${count} over ${name}`, goal, unit: 'tokens/s' };
    yield await inTurns(row, promptRate(ours, count), promptRate(side, count), rounds);
  }
  const rate = (generate: Generate, { again, seconds: spent }: Side, times = 1) => {
    const one = decodeRate(generate, again, { length, tokens, spent });
    return async (): Promise<number> => times * (await one());
  };
  const decode = { name: `decode over ${name}`, goal, unit: 'tokens/s' };
  yield await inTurns(decode, rate(ours.generate, ours), rate(side.generate, side), rounds);
  if (!together) return;
  for (const generate of [ours.together, together]) await generate(text(length), 2);
  const row = { name: `decode, eight answers at once, over ${name}`, goal, unit: 'tokens/s' };
  yield await inTurns(row, rate(ours.together, ours, TOGETHER), rate(together, side, TOGETHER), rounds);
}

/** Rows as they come. */
export async function* gpuPeerRows(options: GpuPeersOptions): AsyncGenerator<BenchRow> {
  const { isReal, origin, served, cache, webLlm, say } = options;
  const { browser, call, gpu, flags } = await openGpu(origin);
  try {
    const size = isReal || !gpu.isSimulated ? '0.5B' : 'small';
    const folder = join(cache, `inpage-bench-model-gpu-${size}`);
    const shape: DecoderShape = GPU_SHAPES[size];
    await makeRealModel(folder, shape, gpu.hasHalves ? 'q4f16' : 'q4');
    await makeRealGguf(join(folder, FILE), 'Q4_0', shape);
    rmSync(served, { force: true });
    symlinkSync(folder, served);
    const measured = gpu.isSimulated ? 'processor time of all of the browser' : "the page's clock";
    say(`GPU: ${gpu.name}${gpu.isSimulated ? ' (simulated by the processor: these are no speeds of a GPU)' : ''}`);
    say(`Runs in: Chromium ${browser.version()} with ${flags.join(' ')}`);
    say(`Model: ${size}, random weights; measured by ${measured}`);
    const isCompared = webLlm !== undefined && size === '0.5B';
    if (isCompared) await webLlm.fill(folder);
    else say(`SKIPPED: WebLLM. ${webLlm ? 'Its model has 0.5B: --size real' : 'INPAGE_WEBLLM_MODEL names no folder.'}`);
    const spent = gpu.isSimulated ? computed : clocked(call);
    await call('start', {}, FILE, 'webgpu');
    const ours = oursOf(call, spent);
    const effort = gpu.isSimulated ? SIMULATED[size] : REAL;
    for (const peer of peersOf(call, gpu, shape, spent, isCompared ? webLlm : undefined)) {
      try {
        await peer.load();
        yield* beside(ours, peer, shape, effort);
      } catch (error) {
        // The others are measured.
        say(`FAILED: ${peer.name}. ${error instanceof Error ? error.message : String(error)}`);
        process.exitCode = 1;
      }
      await peer.end();
    }
  } finally {
    await browser.close();
  }
}

/** Seconds that all of the browser computes. */
async function computed(run: () => Promise<unknown>): Promise<number> {
  const before = processorTimes();
  await run();
  return secondsBetween(before, processorTimes());
}

/** Seconds of one call by the page's clock. */
const clocked =
  (call: Call): Side['seconds'] =>
  async (run) => {
    await run();
    return call('lastSeconds');
  };
