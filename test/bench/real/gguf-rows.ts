/**
 * The GGUF engine, as the service has it, beside what a user would take instead: llama.cpp itself, transformers.js as it comes, and
 * llama.cpp in WASM. One thread each, in turns, in processor time.
 * @module
 */
import { join } from 'node:path';
import type { Browser } from 'playwright';
import { openLlama } from '../../llama-cpp/llama-cpp.js';
import type { BenchRow } from '../bench-row.js';
import { processorTimes, secondsBetween } from '../processor-seconds.js';
import { peakRendererBytes, rendererUsage } from '../processor-time.js';
import { decisionRows } from './decision-rows.js';
import {
  ANSWER,
  decodeRate,
  type Generate,
  growingChat,
  inTurns,
  openPage,
  promptRate,
  seconds,
  type Side,
} from './measure.js';
import type { GgufPrecision } from './random-gguf.js';
import { type Call, callsOf, text, user } from './real-page.js';
import { threadRows } from './threads-rows.js';

export const GGUF_PRECISIONS: readonly GgufPrecision[] = ['Q4_0', 'Q4_K_M'];
/** Of 1.7 thousand million weights. */
export const LARGE_FILE = 'model-1.7b-Q4_0.gguf';
const PROMPT = 540;
const CONTEXT = 2048;

export interface GgufRowsOptions {
  /** With the models' files. */
  folder: string;
  /** llama.cpp in WASM is served. */
  wllama: boolean;
}

const fileOf = (precision: GgufPrecision): string => `model-${precision}.gguf`;

/** The service in a page of its own. */
async function openOurs(
  browser: Browser,
  origin: string,
  gguf: string,
): Promise<{ call: Call; close(): Promise<void> }> {
  const { page, call } = await openPage(browser, origin);
  await call('start', {}, gguf);
  return { call, close: () => page.context().close() };
}

/** llama.cpp in this process. */
async function openNative(file: string): Promise<Side & { close(): Promise<void> }> {
  const llama = await openLlama();
  const model = await llama.loadModel({ modelPath: file, gpuLayers: 0 });
  const context = await model.createContext({
    contextSize: CONTEXT,
    batchSize: 512,
    threads: 1,
    flashAttention: false,
  });
  const sequence = context.getSequence();
  return {
    again: true,
    async generate(prompt, tokens) {
      await sequence.clearHistory();
      const ids = model.tokenize(prompt);
      let made = 0;
      for await (const _ of sequence.evaluate(ids, { temperature: 0, yieldEogToken: true }))
        if (++made === tokens) break;
      return { prompt: ids.length, tokens: made };
    },
    async seconds(run) {
      const before = process.cpuUsage();
      await run();
      const { user: own, system } = process.cpuUsage(before);
      return (own + system) / 1e6;
    },
    async close() {
      await model.dispose();
      await llama.dispose();
    },
  };
}

async function* beside(name: string, ours: Side, peer: Side, goals: [number, number]): AsyncGenerator<BenchRow> {
  for (const { generate } of [ours, peer]) await generate(text(64), 2);
  const reading = { name: `prompt of ${PROMPT} over ${name}`, goal: goals[0], unit: 'tokens/s' };
  yield await inTurns(reading, promptRate(ours, PROMPT), promptRate(peer, PROMPT));
  const rate = ({ generate, again, seconds: spent }: Side): (() => Promise<number>) =>
    decodeRate(generate, again, { spent });
  yield await inTurns({ name: `decode over ${name}`, goal: goals[1], unit: 'tokens/s' }, rate(ours), rate(peer));
}

/** All of them decode prompts that are known. */
async function eightAtOnce(call: Call, precision: string): Promise<BenchRow> {
  const rate = (count: number) => async (): Promise<number> => {
    const chats = Array.from({ length: count }, () => [user(40)]);
    await call('chats', chats, 1);
    let tokens = 0;
    const spent = await seconds(async () => {
      const answers = await call('chats', chats, ANSWER);
      tokens = answers.reduce((sum, answer) => sum + answer.tokens, 0);
    });
    return tokens / spent;
  };
  const row = { name: `${precision}, decode, eight requests at once over one`, goal: 4, unit: 'tokens/s' };
  return inTurns(row, rate(8), rate(1));
}

/** From nothing but the store to ready: each time a fresh page, with the files of both sides kept. */
async function loads(browser: Browser, origin: string): Promise<BenchRow> {
  const context = await browser.newContext();
  const load = (gguf?: string) => async (): Promise<number> => {
    const page = await context.newPage();
    try {
      await page.goto(`${origin}/test/bench/real/page.html`);
      const call = await callsOf(page);
      const before = processorTimes();
      await call('start', {}, gguf);
      return secondsBetween(before, processorTimes());
    } finally {
      await page.close();
    }
  };
  const [ours, onnx] = [load(fileOf('Q4_0')), load()];
  await ours();
  await onnx();
  const row = { name: 'load from the store, Q4_0, over ONNX in 8 bits', goal: 0.5, unit: 's', lower: true };
  const measured = await inTurns(row, ours, onnx);
  await context.close();
  return measured;
}

/** What the page takes more than before the model, with a conversation as long as the context: it hardly differs between rounds. */
async function memory(browser: Browser, origin: string): Promise<BenchRow> {
  const taken = async (gguf?: string): Promise<number> => {
    const { page, call } = await openPage(browser, origin);
    const before = rendererUsage().bytes;
    await call('start', {}, gguf);
    await call('complete', text(CONTEXT - 8), 2);
    const bytes = rendererUsage().bytes - before;
    await page.context().close();
    return bytes / 1e6;
  };
  const [ours, peer] = [await taken(fileOf('Q4_0')), await taken()];
  const name = `memory with ${CONTEXT} positions, Q4_0, over ONNX in 8 bits`;
  return { name, goal: 0.4, unit: 'MB', lower: true, ours, peer, ratio: ours / peer };
}

/** The most memory that loading and answering take, over 2 GB. */
async function largeModel(browser: Browser, origin: string): Promise<BenchRow> {
  const { page, call } = await openPage(browser, origin);
  await call('start', {}, LARGE_FILE);
  const { tokens } = await call('complete', text(32), 8);
  if (tokens !== 8) throw new Error(`${tokens} tokens were written, not 8.`);
  const [ours, peer] = [peakRendererBytes() / 1e6, 2000];
  await page.context().close();
  return {
    name: '1.7 B in Q4_0, most memory over 2 GB',
    goal: 1,
    unit: 'MB',
    lower: true,
    ours,
    peer,
    ratio: ours / peer,
  };
}

/**
 * @param parts `gguf`: beside llama.cpp; `gguf-peers`: beside what runs in a page; `gguf-service`: the service alone;
 * `gguf-memory`: what models take; `gguf-decisions`: decisions beside chats; `gguf-threads`: two threads beside one
 */
export async function* ggufRows(
  browser: Browser,
  origin: string,
  parts: readonly string[],
  { folder, wllama: hasWllama }: GgufRowsOptions,
): AsyncGenerator<BenchRow> {
  const isMeasured = parts.some((part) => part.startsWith('gguf') && part !== 'gguf-memory' && part !== 'gguf-threads');
  for (const precision of isMeasured ? GGUF_PRECISIONS : []) {
    const { call, close } = await openOurs(browser, origin, fileOf(precision));
    const ours: Side = { generate: (prompt, tokens) => call('complete', prompt, tokens), again: false, seconds };
    if (parts.includes('gguf')) {
      const native = await openNative(join(folder, fileOf(precision)));
      yield* beside(`llama.cpp, ${precision}`, ours, native, [1, 1]);
      await native.close();
    }
    if (parts.includes('gguf-peers') && precision === 'Q4_0') {
      await call('load', 'bare');
      const generate: Generate = (prompt, tokens) => call('generate', 'bare', prompt, tokens);
      yield* beside('transformers.js in 8 bits, Q4_0', ours, { generate, again: true, seconds }, [3, 3]);
      await call('end', 'bare');
    }
    if (parts.includes('gguf-peers') && precision === 'Q4_0' && hasWllama) {
      await call('loadWllama');
      const generate: Generate = (prompt, tokens) => call('generateWllama', prompt, tokens);
      // Its rows compare builds more than engines.
      yield* beside('wllama 3, no integer SIMD, Q4_0', ours, { generate, again: true, seconds }, [4, 4]);
    }
    if (parts.includes('gguf-decisions') && precision === 'Q4_0') yield* decisionRows(call);
    if (parts.includes('gguf-service')) {
      yield await eightAtOnce(call, precision);
      const grown = await growingChat(call);
      yield { ...grown, name: `${precision}, ${grown.name}`, goal: 1.3 };
    }
    await close();
  }
  if (parts.includes('gguf-threads')) yield* threadRows(browser, origin, fileOf('Q4_0'));
  if (parts.includes('gguf-service')) yield await loads(browser, origin);
  if (!parts.includes('gguf-memory')) return;
  yield await memory(browser, origin);
  yield await largeModel(browser, origin);
}
