/** `inpage doctor`. @module */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path/posix';
import type { Page } from 'playwright';
import type { Finding } from '../../page/diagnosis/finding.js';
import type { LatestStart } from '../../page/diagnosis/latest-start.js';
import { listStaticFiles } from '../../serve/static-files/static-files.js';
import { importPlaywright } from './import-playwright.js';
import { type Command, UsageError } from './command.js';
import { print } from './print.js';

/** Milliseconds for the page to load, and then for its inference to start. */
const LOAD_TIMEOUT_MS = 30_000;
const START_TIMEOUT_MS = 10_000;

/** Opens a page and prints what `diagnose` finds there. */
export const doctor: Command = {
  summary: 'Opens a page in Chromium and reports what prevents Inpage from working there. Needs `playwright`.',
  usage: ['doctor <URL> [--json] [--chromium PATH]'],
  options: {
    json: { type: 'boolean', help: 'Print the findings as JSON.' },
    chromium: {
      type: 'string',
      value: 'PATH',
      help: "The browser's executable. Default: Playwright's own, else one that is installed.",
    },
  },
  examples: ['npx inpage doctor http://localhost:5173/', 'npx inpage doctor https://app.example/ --json'],
  async run([url, ...more], { json, chromium }) {
    if (url === undefined || more.length > 0 || !/^https?:/.test(url) || !URL.canParse(url)) {
      throw new UsageError(
        '`inpage doctor` requires the URL of one page, e.g. `npx inpage doctor http://localhost:5173/`.',
      );
    }
    const { launchChromium } = await importPlaywright('doctor', () => import('../../serve/launch-chromium.js'));
    const { browser } = await launchChromium(typeof chromium === 'string' ? { executablePath: chromium } : {});
    try {
      const findings = await examine(await browser.newPage(), url);
      print(json ? `${JSON.stringify(findings, null, 2)}\n` : formatFindings(findings));
      if (findings.some(({ level }) => level === 'problem')) process.exitCode = 1;
    } finally {
      await browser.close();
    }
  },
};

/** @throws Error when the page cannot be opened */
async function examine(page: Page, url: string): Promise<Finding[]> {
  const reported: Finding[] = [];
  const note = (text: string): void => {
    const message = text.split('\n', 1)[0]!;
    reported.push({ check: 'console', level: 'warning', message, fix: 'The page logged this in its console.' });
  };
  page.on('console', (message) => {
    if (/^(error|warning)$/.test(message.type()) && message.text().startsWith('inpage:')) note(message.text());
  });
  page.on('pageerror', (error) => note(error.message));
  const response = await page.goto(url, { timeout: LOAD_TIMEOUT_MS, waitUntil: 'load' }).catch((cause: unknown) => {
    throw new Error(`${url} could not be opened. Is its server running?`, { cause });
  });
  if (response && !response.ok()) throw new Error(`${url} returned status ${response.status()}.`);
  await page
    .waitForFunction(isStarted, undefined, { timeout: START_TIMEOUT_MS, polling: 100 })
    .catch(() => undefined /* A page without inference, or one where it does not start: the checks say so. */);
  const script = readFileSync(new URL('./diagnose.js', import.meta.url), 'utf8');
  // Evaluated, and not added to the page, whose policy might refuse it.
  await page.evaluate(`globalThis.inpageDiagnosis = (() => { ${script}; return inpageDiagnosis; })()`);
  const hashes = JSON.stringify(hashesOfScripts());
  const findings = (await page.evaluate(`globalThis.inpageDiagnosis.runChecks(${hashes})`)) as Finding[];
  return [...findings, ...reported];
}

/** Runs in the page. */
function isStarted(): boolean {
  const latest = (globalThis as { [name: symbol]: unknown })[Symbol.for('inpage.latest')] as LatestStart | undefined;
  return latest !== undefined && latest.state !== 'starting';
}

/** What this version's scripts are, by file name: old copies of them are a frequent mistake. */
function hashesOfScripts(): Record<string, string> {
  const scripts = [...listStaticFiles({ models: false, webgpu: true })].filter(([url]) => /\.m?js$/.test(url));
  return Object.fromEntries(
    scripts.map(([url, { path }]) => [basename(url), createHash('sha256').update(readFileSync(path)).digest('hex')]),
  );
}

const MARKS = { ok: 'ok     ', warning: 'warning', problem: 'PROBLEM' } as const;

function formatFindings(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ check, level, message, fix }) => {
    const found = `${MARKS[level]}  ${check}: ${message}`;
    return fix === undefined ? [found] : [found, `         -> ${fix}`];
  });
  const problems = findings.filter(({ level }) => level === 'problem').length;
  return `${lines.join('\n')}\n\n${problems === 0 ? 'No problem found.' : `Problems: ${problems}.`}\n`;
}
