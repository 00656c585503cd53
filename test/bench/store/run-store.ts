/** A model of 500 MB: how long it takes from what is kept, and the most memory that it takes, against transformers.js alone. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright';
import { CHROMIUM } from '../../support/chromium.js';
import { paddedModel } from '../../e2e/support/padded-model.js';
import { type BenchRow, median } from '../bench-row.js';
import { peakRendererBytes, rendererUsage } from '../processor-time.js';
import type { LoadEngine } from './page.js';

const BYTES = 500 * 2 ** 20;
const ROUNDS = 3;
const ENGINES = ['ours', 'bare'] as const;

type Engine = (typeof ENGINES)[number];

interface Load {
  seconds: number;
  /** Above what the page alone takes. */
  peakBytes: number;
}

/** Makes the model below a folder that is a hub to pages. */
export function makeLargeModel(hub: string): void {
  const folder = join(hub, 'owner/large/resolve/main');
  if (existsSync(folder)) return;
  for (const [name, bytes] of Object.entries(paddedModel(BYTES))) {
    const file = join(`${folder}.part`, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
  renameSync(`${folder}.part`, folder);
}

/** Each load in a browser of its own, whose profile is on the disk as that of a person is. */
async function load(engine: Engine, origin: string, profile: string): Promise<Load> {
  const args = ['--no-sandbox', '--disable-background-networking', '--no-first-run'];
  const context = await chromium.launchPersistentContext(profile, { ...CHROMIUM, args });
  try {
    const page = await context.newPage();
    page.on('pageerror', (error) => process.stderr.write(`${engine}: ${error.message}\n`));
    await page.goto(`${origin}/test/bench/store/page.html`);
    await page.waitForFunction(() => 'bench' in window);
    const before = rendererUsage().bytes;
    const milliseconds = await page.evaluate(
      (name) => (window as unknown as { bench: LoadEngine }).bench(name),
      engine,
    );
    return { seconds: milliseconds / 1000, peakBytes: peakRendererBytes() - before };
  } finally {
    await context.close();
  }
}

export async function storeRows(origin: string): Promise<BenchRow[]> {
  const cold: Partial<Record<Engine, Load>> = {};
  const warm: Record<Engine, Load[]> = { ours: [], bare: [] };
  const profiles = { ours: '', bare: '' };
  for (const engine of ENGINES) {
    profiles[engine] = mkdtempSync(join(tmpdir(), 'inpage-bench-'));
    cold[engine] = await load(engine, origin, profiles[engine]);
  }
  for (let round = 0; round <= ROUNDS; round++) {
    for (const engine of ENGINES) {
      const measured = await load(engine, origin, profiles[engine]);
      // The first finds nothing in the system's cache of files.
      if (round > 0) warm[engine].push(measured);
    }
  }
  for (const profile of Object.values(profiles)) rmSync(profile, { recursive: true, force: true });
  const row = (name: string, goal: number, unit: string, ours: number, peer: number): BenchRow => ({
    name,
    goal,
    unit,
    lower: true,
    ours,
    peer,
    ratio: ours / peer,
  });
  const middle = (engine: Engine, what: keyof Load): number => median(warm[engine].map((one) => one[what]));
  const megabytes = (bytes: number): number => bytes / 2 ** 20;
  const name = 'of 500 MB over transformers.js';
  return [
    row(`load from the store ${name}, its own cache`, 1.1, 's', middle('ours', 'seconds'), middle('bare', 'seconds')),
    row(
      `peak memory of a first load ${name}`,
      1,
      'MB',
      megabytes(cold.ours!.peakBytes),
      megabytes(cold.bare!.peakBytes),
    ),
    row(
      `peak memory of a kept load ${name}`,
      1,
      'MB',
      megabytes(middle('ours', 'peakBytes')),
      megabytes(middle('bare', 'peakBytes')),
    ),
  ];
}
