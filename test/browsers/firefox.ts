/** Firefox: an installed one through Marionette (WebDriver over a socket, as `length:[0, id, command, parameters]`), else Playwright's. @module */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firefox } from 'playwright';
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

/** Undefined where there is none. */
export function findFirefox(): OpenBrowser | undefined {
  const program = findProgram(['firefox', 'firefox-esr']);
  return program === undefined ? findPlaywright(firefox) : () => openFirefox(program);
}

async function openFirefox(program: string): Promise<WebDriver> {
  const profile = mkdtempSync(join(tmpdir(), 'inpage-firefox-'));
  const port = await freePort();
  writeFileSync(join(profile, 'user.js'), `user_pref("marionette.port", ${port});\n`);
  const process = startProgram(program, ['--headless', '--marionette', '--no-remote', '--profile', profile]);
  const end = (): void => {
    process.end();
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
  };
  try {
    const line = await retry(() => openLine(port));
    const { capabilities } = await line.send('NewSession', {});
    await line.send('SetTimeouts', { script: SCRIPT_TIMEOUT });
    return {
      browser: `Firefox ${(capabilities as { browserVersion: string }).browserVersion}`,
      async navigateTo(url) {
        await line.send('Navigate', { url });
      },
      async execute(script, argument) {
        const sent = { script: asyncScript(script), args: [argument], newSandbox: false };
        return resultOf((await line.send('ExecuteAsyncScript', sent))['value'] as object);
      },
      newWindow: async () => (await line.send('NewWindow', { type: 'tab' }))['handle'] as string,
      windowHandle: async () => (await line.send('GetWindowHandle', {}))['value'] as string,
      async switchToWindow(handle) {
        await line.send('SwitchToWindow', { handle });
      },
      async closeWindow() {
        await line.send('CloseWindow', {});
      },
      async quit() {
        line.close();
        end();
      },
    };
  } catch (thrown) {
    end();
    throw thrown;
  }
}

interface Line {
  send(command: string, parameters: object): Promise<Record<string, unknown>>;
  close(): void;
}

async function openLine(port: number): Promise<Line> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const waiting = new Map<number, (answer: [error: object | null, result: Record<string, unknown>]) => void>();
  onMessages(socket, (message) => {
    // The first one is a greeting.
    if (!Array.isArray(message)) return;
    const [, id, error, result] = message as [1, number, object | null, Record<string, unknown>];
    waiting.get(id)?.([error, result]);
  });
  let lastId = 0;
  return {
    async send(command, parameters) {
      const id = ++lastId;
      const text = JSON.stringify([0, id, `WebDriver:${command}`, parameters]);
      const answered = new Promise<[object | null, Record<string, unknown>]>((resolve) => waiting.set(id, resolve));
      socket.write(`${Buffer.byteLength(text)}:${text}`);
      const [error, result] = await answered;
      if (error) throw new Error(`${command}: ${JSON.stringify(error).slice(0, 500)}`);
      return result;
    },
    close: () => socket.destroy(),
  };
}

function onMessages(socket: Socket, take: (message: unknown) => void): void {
  let pending = Buffer.alloc(0);
  socket.on('data', (bytes) => {
    pending = Buffer.concat([pending, bytes]);
    for (;;) {
      const colon = pending.indexOf(':');
      const end = colon + 1 + Number(pending.subarray(0, Math.max(0, colon)).toString());
      if (colon < 0 || pending.length < end) return;
      take(JSON.parse(pending.subarray(colon + 1, end).toString()));
      pending = pending.subarray(end);
    }
  });
}
