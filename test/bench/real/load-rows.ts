/** What a load of the real model costs, in time and memory, against transformers.js. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { CHROMIUM, CHROMIUM_ARGUMENTS } from '../../support/chromium.js';
import { type BenchRow, median } from '../bench-row.js';
import { processorTimes, secondsBetween } from '../processor-seconds.js';
import { peakRendererBytes, rendererUsage } from '../processor-time.js';
import { callsOf } from './real-page.js';

const ROUNDS = 3;

type Engine = 'ours' | 'bare';
type Load = Record<'cold' | 'warm' | 'bytes' | 'peak', number>;

/**
 * From nothing to ready, and the memory that it takes: each time a fresh page, in a profile on the disk as a visitor has.
 * Seconds of the whole browser, because files are kept by other processes than the page's.
 */
async function load(engine: Engine, origin: string): Promise<Load> {
  const profile = mkdtempSync(join(tmpdir(), 'inpage-bench-'));
  const context = await chromium.launchPersistentContext(profile, { ...CHROMIUM, args: CHROMIUM_ARGUMENTS });
  const measured: Load = { cold: 0, warm: 0, bytes: 0, peak: 0 };
  try {
    for (const state of ['cold', 'warm'] as const) {
      const page = await context.newPage();
      await page.goto(`${origin}/test/bench/real/page.html`);
      const call = await callsOf(page);
      const before = processorTimes();
      const { bytes } = rendererUsage();
      await call('load', engine);
      measured[state] = secondsBetween(before, processorTimes());
      measured.bytes = rendererUsage().bytes - bytes;
      measured.peak = peakRendererBytes() - bytes;
      await page.close();
    }
    return measured;
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

export async function* loadRows(origin: string): AsyncGenerator<BenchRow> {
  const loads: Record<Engine, Load[]> = { ours: [], bare: [] };
  for (let round = 0; round < ROUNDS; round++) {
    loads.ours.push(await load('ours', origin));
    loads.bare.push(await load('bare', origin));
  }
  const row = (name: string, unit: string, key: keyof Load, by = 1): BenchRow => {
    const [ours, peer] = [loads.ours, loads.bare].map((each) => median(each.map((one) => one[key])) / by) as [
      number,
      number,
    ];
    return { name: `${name} over transformers.js`, goal: 1, unit, lower: true, ours, peer, ratio: ours / peer };
  };
  yield row('load, cold,', 's', 'cold');
  yield row('load, warm,', 's', 'warm');
  yield row('memory once loaded', 'MB', 'bytes', 1e6);
  yield row('peak memory of a kept load', 'MB', 'peak', 1e6);
}
