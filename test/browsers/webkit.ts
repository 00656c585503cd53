/** WebKit: an installed WebKitGTK, the engine nearest to Safari on Linux, through its WebDriver over HTTP; else Playwright's. @module */
import { existsSync } from 'node:fs';
import { webkit } from 'playwright';
import { freePort } from '../support/free-port.js';
import { findPlaywright } from './playwright-driver.js';
import {
  asyncScript,
  findProgram,
  type OpenBrowser,
  resultOf,
  retry,
  SCRIPT_TIMEOUT,
  startProgram,
  type WebDriver,
} from './web-driver.js';

const MINI_BROWSERS = ['4.1', '6.0', '4.0'].flatMap((version) => [
  `/usr/lib/x86_64-linux-gnu/webkit2gtk-${version}/MiniBrowser`,
  `/usr/lib/aarch64-linux-gnu/webkit2gtk-${version}/MiniBrowser`,
]);

/** The driver, the browser and, on a machine without a display, a display. */
interface WebKitPrograms {
  driver: string;
  browser: string;
  display: string | undefined;
}

/** Undefined where there is none. */
export function findWebKit(): OpenBrowser | undefined {
  const programs = findPrograms();
  return programs ? () => openWebKit(programs) : findPlaywright(webkit);
}

function findPrograms(): WebKitPrograms | undefined {
  const driver = findProgram(['WebKitWebDriver']);
  const browser = MINI_BROWSERS.find((path) => existsSync(path));
  const display = process.env['DISPLAY'] ? undefined : findProgram(['xvfb-run']);
  const isComplete = driver && browser && (display || process.env['DISPLAY']);
  return isComplete ? { driver, browser, display } : undefined;
}

async function openWebKit({ driver, browser, display }: WebKitPrograms): Promise<WebDriver> {
  const port = await freePort();
  const command = [...(display ? [display, '-a'] : []), driver, `--port=${port}`];
  const process = startProgram(command[0]!, command.slice(1), { WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' });
  const send = async (method: string, path: string, body?: object): Promise<unknown> => {
    const init = { method, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(`http://127.0.0.1:${port}/session${path}`, init);
    const { value } = (await response.json()) as { value: unknown };
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(value).slice(0, 500)}`);
    return value;
  };
  try {
    const wanted = { 'webkitgtk:browserOptions': { binary: browser, args: ['--automation'] } };
    const started = await retry(() => send('POST', '', { capabilities: { alwaysMatch: wanted } }));
    const { sessionId, capabilities } = started as { sessionId: string; capabilities: { browserVersion: string } };
    const path = `/${sessionId}`;
    await send('POST', `${path}/timeouts`, { script: SCRIPT_TIMEOUT });
    return {
      browser: `WebKitGTK ${capabilities.browserVersion}`,
      async navigateTo(url) {
        await send('POST', `${path}/url`, { url });
      },
      async execute(script, argument) {
        const sent = { script: asyncScript(script), args: [argument] };
        return resultOf((await send('POST', `${path}/execute/async`, sent)) as object);
      },
      newWindow: async () => ((await send('POST', `${path}/window/new`, { type: 'tab' })) as { handle: string }).handle,
      windowHandle: async () => (await send('GET', `${path}/window`)) as string,
      async switchToWindow(handle) {
        await send('POST', `${path}/window`, { handle });
      },
      async closeWindow() {
        await send('DELETE', `${path}/window`);
      },
      async quit() {
        await send('DELETE', path).catch(() => {});
        process.end();
      },
    };
  } catch (thrown) {
    process.end();
    throw thrown;
  }
}
