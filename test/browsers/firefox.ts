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

/** An installed Firefox, which can load extensions. */
export interface InstalledFirefox extends WebDriver {
  /** Loads the extension in a folder, until the browser ends. */
  loadExtension(folder: string): Promise<void>;
  /** Handles of all tabs. */
  windowHandles(): Promise<string[]>;
}

/** @param preferences as in `about:config` */
export type OpenFirefox = (preferences?: Record<string, string | number | boolean>) => Promise<InstalledFirefox>;

/** Undefined where there is none. */
export function findFirefox(): OpenBrowser | undefined {
  return findInstalledFirefox() ?? findPlaywright(firefox);
}

/** Undefined where the system has none: Playwright's loads no extensions. */
export function findInstalledFirefox(): OpenFirefox | undefined {
  const program = findProgram(['firefox', 'firefox-esr']);
  return program === undefined ? undefined : (preferences) => openFirefox(program, preferences);
}

async function openFirefox(program: string, preferences: Parameters<OpenFirefox>[0] = {}): Promise<InstalledFirefox> {
  const profile = mkdtempSync(join(tmpdir(), 'inpage-firefox-'));
  const port = await freePort();
  const lines = Object.entries({ ...preferences, 'marionette.port': port }).map(
    (preference) => `user_pref(${JSON.stringify(preference).slice(1, -1)});\n`,
  );
  writeFileSync(join(profile, 'user.js'), lines.join(''));
  const process = startProgram(program, ['--headless', '--marionette', '--no-remote', '--profile', profile]);
  const end = (): void => {
    process.end();
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
  };
  try {
    const line = await retry(() => openLine(port));
    const { capabilities } = await line.send('WebDriver:NewSession', {});
    await line.send('WebDriver:SetTimeouts', { script: SCRIPT_TIMEOUT });
    return {
      browser: `Firefox ${(capabilities as { browserVersion: string }).browserVersion}`,
      async navigateTo(url) {
        await line.send('WebDriver:Navigate', { url });
      },
      async execute(script, argument) {
        const sent = { script: asyncScript(script), args: [argument], newSandbox: false };
        return resultOf((await line.send('WebDriver:ExecuteAsyncScript', sent))['value'] as object);
      },
      newWindow: async () => (await line.send('WebDriver:NewWindow', { type: 'tab' }))['handle'] as string,
      windowHandle: async () => (await line.send('WebDriver:GetWindowHandle', {}))['value'] as string,
      async switchToWindow(handle) {
        await line.send('WebDriver:SwitchToWindow', { handle });
      },
      async closeWindow() {
        await line.send('WebDriver:CloseWindow', {});
      },
      async loadExtension(folder) {
        await line.send('Addon:Install', { path: folder, temporary: true });
      },
      windowHandles: async () => (await line.send('WebDriver:GetWindowHandles', {})) as unknown as string[],
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
  /** @param command with its group, e.g. `WebDriver:Navigate` */
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
      const text = JSON.stringify([0, id, command, parameters]);
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
