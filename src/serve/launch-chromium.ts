/** Starts the browser for tools of the command line. @module */
import { existsSync } from 'node:fs';
import { findChromium } from './find-chromium.js';
import { type Browser, chromium, type LaunchOptions } from 'playwright';

/** A browser, and whether it runs in its sandbox; undefined where the caller's options decide. */
export interface LaunchedBrowser {
  browser: Browser;
  sandbox: boolean | undefined;
}

/**
 * Starts Playwright's Chromium, or a Chrome or Chromium that is installed where Playwright has none, in its sandbox wherever that can run: not as root, and not where the system gives no namespaces.
 * @param hadSandbox what an earlier call returned
 * @throws Error that says what to do
 */
export async function launchChromium(launch: LaunchOptions = {}, hadSandbox?: boolean): Promise<LaunchedBrowser> {
  try {
    return await launchSandboxed(launch, hadSandbox);
  } catch (thrown) {
    const installed = lacksBrowser(thrown) && !namesBrowser(launch) ? findChromium() : undefined;
    if (installed === undefined) throw explainLaunch(thrown, launch.executablePath);
    return launchSandboxed({ ...launch, executablePath: installed }, hadSandbox).catch((again: unknown) => {
      throw explainLaunch(again, installed);
    });
  }
}

function namesBrowser({ executablePath, channel }: LaunchOptions): boolean {
  return executablePath !== undefined || channel !== undefined;
}

/** Whether Playwright was never given a browser of its own. */
function lacksBrowser(thrown: unknown): boolean {
  return /Executable doesn't exist|playwright install(?!-deps)/.test(messageOf(thrown));
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

async function launchSandboxed(launch: LaunchOptions, hadSandbox: boolean | undefined): Promise<LaunchedBrowser> {
  if (launch.chromiumSandbox !== undefined || launch.args?.includes('--no-sandbox')) {
    return { browser: await chromium.launch(launch), sandbox: undefined };
  }
  if (hadSandbox !== false) {
    try {
      return { browser: await chromium.launch({ ...launch, chromiumSandbox: true }), sandbox: true };
    } catch (thrown) {
      // It ran before, so the sandbox is not what is missing now.
      if (hadSandbox) throw thrown;
    }
  }
  return { browser: await chromium.launch({ ...launch, chromiumSandbox: false }), sandbox: false };
}

/**
 * Playwright's message is a page long, and its first line says little.
 * @param path the executable, where the caller named one
 */
function explainLaunch(thrown: unknown, path: string | undefined): Error {
  return new Error(explainLaunchFailure(thrown, path), { cause: thrown });
}

function explainLaunchFailure(thrown: unknown, path: string | undefined): string {
  const message = messageOf(thrown);
  if (path !== undefined && !existsSync(path)) {
    return `There is no browser at ${path}. Check \`--chromium\` (\`launch.executablePath\`).`;
  }
  if (lacksBrowser(thrown)) {
    return 'Playwright has no Chromium here, and no Chrome or Chromium is installed where one usually is. Run `npx playwright install chromium`, or name one that is installed with `--chromium PATH` (`launch.executablePath`).';
  }
  if (/missing dependencies|shared libraries/.test(message)) {
    return 'Chromium lacks libraries of the system. Run `npx playwright install-deps chromium`.';
  }
  return `Chromium did not start. ${message.split('\n', 1)[0]}`;
}
