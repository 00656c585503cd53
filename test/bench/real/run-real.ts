/** The rows of a model of a size that people use: ratios of processor time, against transformers.js in the same run. */
import type { Browser } from 'playwright';
import { type BenchRow, median } from '../bench-row.js';
import { loadRows } from './load-rows.js';
import type { ChatAnswer } from './page.js';
import { keptPromptRows } from './cached-prompt-rows.js';
import { ggufRows, type GgufRowsOptions } from './gguf-rows.js';
import {
  ANSWER,
  BEGINNING,
  decodeRate,
  type Generate,
  growingChat,
  inTurns,
  openPage,
  ROUNDS,
  seconds,
} from './measure.js';
import { type Call, text, user } from './real-page.js';

type Engine = 'ours' | 'bare';

const SCHEMA = {
  type: 'object',
  properties: {
    first_name: { type: 'string', maxLength: 20 },
    age: { type: 'integer', minimum: 0, maximum: 120 },
    home_city: { type: 'string', maxLength: 20 },
    favourite_animal: { enum: ['cat', 'dog', 'horse', 'parrot'] },
    is_student: { type: 'boolean' },
  },
  required: ['first_name', 'age', 'home_city', 'favourite_animal', 'is_student'],
  additionalProperties: false,
};

/** Our loop and transformers.js's `generate`, in workers of one page. */
async function* engineRows(browser: Browser, origin: string): AsyncGenerator<BenchRow> {
  const { page, call } = await openPage(browser, origin);
  const engines: Engine[] = ['ours', 'bare'];
  for (const engine of engines) {
    await call('load', engine);
    await call('generate', engine, text(64), 2);
  }
  const read = (engine: Engine, length: number) => async () => {
    const prompt = text(length);
    return length / (await seconds(() => call('generate', engine, prompt, 1)));
  };
  for (const length of [256, 1024]) {
    const row = { name: `prompt of ${length} over transformers.js`, goal: 3, unit: 'tokens/s' };
    yield await inTurns(row, read('ours', length), read('bare', length));
  }
  const decode = { name: 'decode, one request, over transformers.js', goal: 1, unit: 'tokens/s' };
  const generate =
    (engine: Engine): Generate =>
    (prompt, tokens) =>
      call('generate', engine, prompt, tokens);
  yield await inTurns(decode, decodeRate(generate('ours'), false), decodeRate(generate('bare'), true));
  const after = (length: number) => async () => 1 / (await decodeRate(generate('ours'), false, { length })());
  const far = { name: 'a token after 1,024 tokens over one after 64', goal: 1.3, unit: 's', lower: true };
  yield await inTurns(far, after(1024), after(64));
  yield await editing(call);
  await page.context().close();
}

/** A text of which every twentieth word is another, over words that were never said in this order. */
async function editing(call: Call): Promise<BenchRow> {
  const rate = async (edit: boolean): Promise<number> => {
    const given = text(120);
    const words = edit
      ? given.split(' ').map((word, index) => (index % 20 === 19 ? 'while' : word))
      : text(40).split(' ');
    await call('say', given, words.slice(0, 1).join(' '));
    const spent = await seconds(() => call('say', given, words.join(' ')));
    return (words.length - 1) / spent;
  };
  await rate(true);
  return inTurns(
    { name: 'an edit of a given text over free text', goal: 1.5, unit: 'tokens/s' },
    () => rate(true),
    () => rate(false),
  );
}

/** The whole service. */
async function* serviceRows(browser: Browser, origin: string): AsyncGenerator<BenchRow> {
  const { page, call } = await openPage(browser, origin);
  await call('start');
  await call('chats', [[user(64)]], 2);
  await call('load', 'bare');
  yield await fourAtOnce(call);
  await call('end', 'bare');
  yield await manyClients(call);
  yield await growingChat(call);
  yield await twoChats(call);
  yield await manyChats(call);
  yield await sharedSystem(call);
  yield* structured(call);
  await page.context().close();
}

async function fourAtOnce(call: Call): Promise<BenchRow> {
  const together = async (): Promise<number> => {
    const chats = Array.from({ length: 4 }, () => [user(40)]);
    for (const chat of chats) await call('chats', [chat], 1);
    // The same prompts again: they are known, so this is decoding alone.
    let tokens = 0;
    const spent = await seconds(async () => {
      const answers = await call('chats', chats, ANSWER);
      tokens = answers.reduce((sum, answer) => sum + answer.tokens, 0);
    });
    return (tokens - chats.length) / spent;
  };
  const row = { name: 'decode, four requests at once, over transformers.js', goal: 1.8, unit: 'tokens/s' };
  const bare = decodeRate((prompt, tokens) => call('generate', 'bare', prompt, tokens), true);
  return inTurns(row, together, bare);
}

/** Both times are of one run, so it does not matter how fast the machine is just then. */
async function manyClients(call: Call): Promise<BenchRow> {
  const runs: { ninthBegan: number; firstEnded: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const chats = Array.from({ length: 16 }, () => [user(40)]);
    const times = await call('stream', chats, 2 * chats.length);
    const began = times.map((time) => time.began).toSorted((a, b) => a - b);
    runs.push({ ninthBegan: began[8]!, firstEnded: Math.min(...times.map((time) => time.ended)) });
  }
  const [ours, peer] = [median(runs.map((run) => run.ninthBegan)), median(runs.map((run) => run.firstEnded))];
  const row = { name: 'first token of the ninth of 16 clients over the first end', goal: 0.6, unit: 's', lower: true };
  return { ...row, ours, peer, ratio: ours / peer };
}

async function twoChats(call: Call): Promise<BenchRow> {
  const chats = [[user(300)], [user(300)], [user(300)]];
  const next = async (chat: { role: string; content: string }[]): Promise<number> => {
    let answer: ChatAnswer | undefined;
    const spent = await seconds(async () => ([answer] = await call('chats', [chat], BEGINNING)));
    chat.push({ role: 'assistant', content: answer!.text }, user(60));
    return spent;
  };
  for (const chat of chats) await next(chat);
  const [alone, turns]: [number[], number[]] = [[], []];
  for (let round = 0; round < 4; round++) alone.push(await next(chats[2]!));
  for (let round = 0; round < 4; round++) for (const chat of chats.slice(0, 2)) turns.push(await next(chat));
  const [ours, peer] = [median(turns), median(alone)];
  const row = { name: 'two conversations in turns over one alone', goal: 1.1, unit: 's', lower: true };
  return { ...row, ours, peer, ratio: ours / peer };
}

/** What was read of each conversation in its first turn is kept until its second, while 19 others are read. */
async function manyChats(call: Call): Promise<BenchRow> {
  const chats = Array.from({ length: 20 }, () => [user(400)]);
  const turns = async (): Promise<number> => {
    let sum = 0;
    for (const chat of chats) {
      let answer: ChatAnswer | undefined;
      sum += await seconds(async () => ([answer] = await call('chats', [chat], 1)));
      chat.push({ role: 'assistant', content: answer!.text }, user(20));
    }
    return sum;
  };
  const peer = await turns();
  const ours = await turns();
  const row = { name: 'second turns of 20 conversations over their first', goal: 0.4, unit: 's', lower: true };
  return { ...row, ours, peer, ratio: ours / peer };
}

async function sharedSystem(call: Call): Promise<BenchRow> {
  const system = { role: 'system', content: text(1000) };
  const ask = (): Promise<number> => seconds(() => call('chats', [[system, user(20)]], BEGINNING));
  const first = await ask();
  const ours = median([await ask(), await ask(), await ask()]);
  const row = { name: 'next user of a system prompt of 1,000 over the first', goal: 0.25, unit: 's', lower: true };
  return { ...row, ours, peer: first, ratio: ours / first };
}

async function* structured(call: Call): AsyncGenerator<BenchRow> {
  const rate = async (more: object, tokens: number): Promise<number> => {
    const messages = [user(40)];
    await call('chats', [messages], 1);
    let made = 0;
    const spent = await seconds(async () => {
      const [answer] = await call('chats', [messages], tokens, more);
      made = answer!.tokens;
    });
    return made / spent;
  };
  const schema = { type: 'json_schema', json_schema: { name: 'p', strict: true, schema: SCHEMA } };
  await rate({ response_format: schema }, 200);
  yield await inTurns(
    { name: 'JSON after a schema over free text', goal: 1.5, unit: 'tokens/s' },
    () => rate({ response_format: schema, temperature: 1, seed: 1 }, 200),
    () => rate({ temperature: 1, seed: 1 }, 24),
  );
}

/** Rows as they come. @param parts `engine`, `service`, `open`, `prompts`, and those of {@link ggufRows} */
export async function* realRows(
  browser: Browser,
  origin: string,
  { parts, gguf }: { parts: readonly string[]; gguf: GgufRowsOptions },
): AsyncGenerator<BenchRow> {
  if (parts.includes('engine')) yield* engineRows(browser, origin);
  if (parts.includes('service')) yield* serviceRows(browser, origin);
  if (parts.includes('open')) yield* loadRows(origin);
  if (parts.includes('prompts')) yield* keptPromptRows(origin);
  if (parts.some((part) => part.startsWith('gguf'))) yield* ggufRows(browser, origin, parts, gguf);
}
