/** What a reload costs when prompts are kept: on a disk, so in a profile of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright';
import { CHROMIUM, CHROMIUM_ARGUMENTS } from '../../support/chromium.js';
import { type BenchRow, median } from '../bench-row.js';
import { processorTimes, secondsBetween } from '../processor-seconds.js';
import { type Call, callsOf, text, user } from './real-page.js';

const ROUNDS = 3;
const LENGTH = 1000;
const SHARED = 800;

type Chat = { role: string; content: string }[];

const chat = (system: string): Chat => [{ role: 'system', content: system }, user(20)];

/** Processor seconds of the whole browser: files are read in another process than the page's. */
async function seconds(run: () => Promise<unknown>): Promise<number> {
  const before = processorTimes();
  await run();
  return secondsBetween(before, processorTimes());
}

async function open(context: BrowserContext, origin: string): Promise<Call> {
  const page = context.pages()[0]!;
  await page.goto(`${origin}/test/bench/real/page.html`);
  const call = await callsOf(page);
  await call('start', { promptCache: '500MB' });
  await call('chats', [[user(64)]], 2);
  return call;
}

export async function* keptPromptRows(origin: string): AsyncGenerator<BenchRow> {
  const profile = mkdtempSync(join(tmpdir(), 'inpage-bench-'));
  const context = await chromium.launchPersistentContext(profile, { ...CHROMIUM, args: CHROMIUM_ARGUMENTS });
  try {
    const call = await open(context, origin);
    const shared = text(SHARED);
    const [first, second] = [0, 0].map(() => chat(`${shared} ${text(LENGTH - SHARED)}`)) as [Chat, Chat];
    const one = await call('cachePrompt', first);
    const two = await call('cachePrompt', second);
    const bytes = { name: 'disk for two prompts that share 800 of 1,000 tokens over one', goal: 1.3, unit: 'MB' };
    yield { ...bytes, lower: true, ours: two / 1e6, peer: one / 1e6, ratio: two / one };
    const systems = Array.from({ length: ROUNDS }, () => text(LENGTH));
    for (const system of systems) await call('cachePrompt', chat(system));
    const again = await open(context, origin);
    const begin = (messages: Chat) => seconds(() => again('chats', [messages], 1));
    const [ours, peer]: [number[], number[]] = [[], []];
    for (const system of systems) {
      ours.push(await begin(chat(system)));
      peer.push(await begin(chat(text(LENGTH))));
    }
    const [kept, read] = [median(ours), median(peer)];
    const row = { name: 'first token on 1,000 kept tokens after a reload over reading them', goal: 0.2, unit: 's' };
    yield { ...row, lower: true, ours: kept, peer: read, ratio: kept / read };
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}
