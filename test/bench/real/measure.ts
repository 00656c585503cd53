/** How the rows of the real model are measured: in processor time, in turns. @module */
import type { Browser, Page } from 'playwright';
import { type BenchRow, median } from '../bench-row.js';
import { rendererUsage } from '../processor-time.js';
import type { EngineAnswer } from './engine-worker.js';
import type { ChatAnswer } from './page.js';
import { type Call, callsOf, text, user } from './real-page.js';

export const ROUNDS = 3;
/** Tokens of an answer when how fast it is written is measured, and when how soon it begins. */
export const ANSWER = 17;
export const BEGINNING = 4;

/** Processor seconds of one call. */
export async function seconds(run: () => Promise<unknown>): Promise<number> {
  const before = rendererUsage().seconds;
  await run();
  return rendererUsage().seconds - before;
}

export async function openPage(browser: Browser, origin: string): Promise<{ page: Page; call: Call }> {
  const page = await (await browser.newContext()).newPage();
  page.on('pageerror', (error) => process.stderr.write(`${error.message}\n`));
  await page.goto(`${origin}/test/bench/real/page.html`);
  const call = await callsOf(page);
  return { page, call };
}

/** Per round both are measured, one after the other; medians are compared. */
export async function inTurns(
  row: Pick<BenchRow, 'name' | 'goal' | 'unit'> & { lower?: boolean },
  ours: () => Promise<number>,
  peer: () => Promise<number>,
  rounds = ROUNDS,
): Promise<BenchRow> {
  const numbers: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    numbers[0].push(await ours());
    numbers[1].push(await peer());
  }
  const [own, other] = [median(numbers[0]), median(numbers[1])];
  return { ...row, ours: own, peer: other, ratio: own / other };
}

export type Generate = (prompt: string, tokens: number) => Promise<EngineAnswer>;

/** Someone that generates. */
export interface Side {
  generate: Generate;
  /** It reads a prompt again that it has just read. */
  again: boolean;
  seconds: (run: () => Promise<unknown>) => Promise<number>;
}

/** Tokens per second of a prompt that no one has read. */
export const promptRate =
  ({ generate, seconds: spent }: Side, length: number) =>
  async (): Promise<number> => {
    const prompt = text(length);
    let read = 0;
    const time = await spent(async () => ({ prompt: read } = await generate(prompt, 1)));
    if (read < length || read > length + 1) throw new Error(`${read} tokens were read, not ${length}.`);
    return length / time;
  };

/** Tokens per second without the reading of the prompt. @param again the engine reads a prompt again that it knows */
export const decodeRate =
  (generate: Generate, again: boolean, { length = 64, tokens = ANSWER, spent = seconds } = {}) =>
  async (): Promise<number> => {
    const prompt = text(length);
    const first = await spent(() => generate(prompt, 1));
    let made = 0;
    const all = await spent(async () => ({ tokens: made } = await generate(prompt, tokens)));
    // WebLLM does not count the token that comes with the prompt.
    if (made < tokens - 1) throw new Error(`${made} tokens were made, not ${tokens}.`);
    return (tokens - 1) / (all - (again ? first : 0));
  };

export async function growingChat(call: Call): Promise<BenchRow> {
  const messages: { role: string; content: string }[] = [];
  const turns: number[] = [];
  for (let turn = 0; turn < 10; turn++) {
    messages.push(user(200));
    let answer: ChatAnswer | undefined;
    turns.push(await seconds(async () => ([answer] = await call('chats', [messages], BEGINNING))));
    messages.push({ role: 'assistant', content: answer!.text });
  }
  const [first, last] = [turns[0]!, turns.at(-1)!];
  const row = { name: 'turn 10 (2,100 tokens) over turn 1', goal: 1.5, unit: 's', lower: true };
  return { ...row, ours: last, peer: first, ratio: last / first };
}
