/**
 * Chromium without a test driver: a pipe to its DevTools protocol, attached to pages only. Drivers also attach to
 * workers, which keeps Service Workers alive, and turn the back/forward cache off; both hide what happens to real users.
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { chromium } from 'playwright';
import { wholeBrowser } from './chromium.js';

type Parameters = Record<string, unknown>;

/** One message of the protocol: an answer (with `id`) or an event (with `method`). */
interface Message {
  id?: number;
  method?: string;
  sessionId?: string;
  params?: Parameters;
  result?: Parameters;
  error?: { message: string };
}

interface Waiting {
  method: string;
  resolve: (result: Parameters) => void;
  reject: (error: Error) => void;
}

/** What the browser knows of a page or worker. */
export interface TargetInfo {
  targetId: string;
  type: string;
  url: string;
}

/** Milliseconds until an unanswered command is an error: a page that is frozen answers nothing. */
const COMMAND_DEADLINE = 90_000;

/** A running browser with a profile of its own. */
export class RawChromium {
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #commands: Writable;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Set<(message: Message) => void>();
  #nextId = 1;

  private constructor(process: ChildProcess, profile: string) {
    this.#process = process;
    this.#profile = profile;
    this.#commands = process.stdio[3] as Writable;
    this.#commands.on('error', () => {}); // The browser is gone; whoever waits is told below.
    let pending = '';
    (process.stdio[4] as Readable).setEncoding('utf8').on('data', (text: string) => {
      const messages = (pending + text).split('\0');
      pending = messages.pop() ?? '';
      for (const message of messages) this.#receive(JSON.parse(message) as Message);
    });
    process.on('exit', () => {
      for (const { reject, method } of this.#waiting.values()) reject(new Error(`${method}: the browser ended.`));
      this.#waiting.clear();
    });
  }

  /** @param args more command-line arguments */
  static async launch(args: string[] = []): Promise<RawChromium> {
    const profile = await mkdtemp(join(tmpdir(), 'inpage-chromium-'));
    const child = spawn(
      wholeBrowser ?? chromium.executablePath(),
      [
        '--headless=new',
        '--no-sandbox',
        '--disable-background-networking',
        '--no-first-run',
        '--remote-debugging-pipe',
        `--user-data-dir=${profile}`,
        ...args,
        'about:blank',
      ],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
    );
    const browser = new RawChromium(child, profile);
    await browser.send('Target.setDiscoverTargets', { discover: true });
    return browser;
  }

  /** One command to the browser, or to the session that is attached to a target. */
  send(method: string, params: Parameters = {}, sessionId?: string): Promise<Parameters> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new Error(`${method}: no answer.`));
      }, COMMAND_DEADLINE);
      this.#waiting.set(id, {
        method,
        resolve: (result) => (clearTimeout(late), resolve(result)),
        reject: (error) => (clearTimeout(late), reject(error)),
      });
      this.#commands.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`);
    });
  }

  /** Opens a tab and waits until its document is loaded. */
  async open(url: string): Promise<RawPage> {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const page = new RawPage(this, targetId as string, await this.attach(targetId as string));
    await this.send('Page.enable', {}, page.session);
    await page.navigate(url);
    return page;
  }

  /** A session with a target; ends with {@link detach}. */
  async attach(targetId: string): Promise<string> {
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    return sessionId as string;
  }

  async detach(sessionId: string): Promise<void> {
    await this.send('Target.detachFromTarget', { sessionId });
  }

  /** Everything that runs, workers too; nothing is attached to by asking. */
  async targets(type: 'page' | 'worker' | 'service_worker'): Promise<TargetInfo[]> {
    const { targetInfos } = await this.send('Target.getTargets', { filter: [{}] });
    return (targetInfos as TargetInfo[]).filter((target) => target.type === type);
  }

  /** Calls the listener for every event of this name; gives the way to stop that. */
  on(method: string, sessionId: string | undefined, listener: (params: Parameters) => void): () => void {
    const hear = (message: Message): void => {
      if (message.method === method && message.sessionId === sessionId) listener(message.params ?? {});
    };
    this.#listeners.add(hear);
    return () => this.#listeners.delete(hear);
  }

  /** Resolves with the next event of this name. */
  event(method: string, sessionId: string | undefined): Promise<Parameters> {
    return new Promise((resolve) => {
      const stop = this.on(method, sessionId, (params) => {
        stop();
        resolve(params);
      });
    });
  }

  /** Bytes that a realm's objects hold, its platform objects among them, after everything unused is gone. */
  async heapOf(sessionId: string): Promise<number> {
    await this.send('HeapProfiler.enable', {}, sessionId);
    // Some objects are freed by what the first collection lets go of.
    for (let round = 0; round < 4; round++) {
      await this.send('HeapProfiler.collectGarbage', {}, sessionId);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const usage = await this.send('Runtime.getHeapUsage', {}, sessionId);
    return (usage['usedSize'] as number) + ((usage['embedderHeapUsedSize'] as number | undefined) ?? 0);
  }

  /** Stops every Service Worker, as the browser does when it wants the memory. */
  async stopServiceWorkers(page: RawPage): Promise<void> {
    await this.send('ServiceWorker.enable', {}, page.session);
    await this.send('ServiceWorker.stopAllWorkers', {}, page.session);
    await this.send('ServiceWorker.disable', {}, page.session);
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    if (this.#process.exitCode === null) {
      this.#process.kill('SIGKILL');
      await ended;
    }
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }

  #receive(message: Message): void {
    const waiting = message.id === undefined ? undefined : this.#waiting.get(message.id);
    if (waiting) {
      this.#waiting.delete(message.id as number);
      if (message.error) waiting.reject(new Error(`${waiting.method}: ${message.error.message}`));
      else waiting.resolve(message.result ?? {});
      return;
    }
    for (const listener of this.#listeners) listener(message);
  }
}

/** A tab. */
export class RawPage {
  readonly #browser: RawChromium;
  readonly targetId: string;
  readonly session: string;

  constructor(browser: RawChromium, targetId: string, session: string) {
    this.#browser = browser;
    this.targetId = targetId;
    this.session = session;
  }

  /** Goes where a link leads, and waits until the new document is loaded. */
  async navigate(url: string): Promise<void> {
    const loaded = this.#browser.event('Page.loadEventFired', this.session);
    await this.evaluate(`location.href = ${JSON.stringify(url)}`);
    await loaded;
  }

  /**
   * Back in the history. Resolves with true when the document came out of the back/forward cache, as it was left.
   */
  async back(): Promise<boolean> {
    const history = await this.#browser.send('Page.getNavigationHistory', {}, this.session);
    const entries = history['entries'] as { id: number }[];
    const entry = entries[(history['currentIndex'] as number) - 1];
    if (!entry) throw new Error('There is nothing to go back to.');
    const arrived = this.#browser.event('Page.frameNavigated', this.session);
    await this.#browser.send('Page.navigateToHistoryEntry', { entryId: entry.id }, this.session);
    return (await arrived)['type'] === 'BackForwardCacheRestore';
  }

  /** The value of an expression; a promise is awaited. Throws what it throws. */
  async evaluate<T>(expression: string): Promise<T> {
    const parameters = { expression, awaitPromise: true, returnByValue: true };
    const answer = await this.#browser.send('Runtime.evaluate', parameters, this.session);
    const { result, exceptionDetails } = answer as {
      result: { value: T };
      exceptionDetails?: { text: string; exception?: { description?: string } };
    };
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /**
   * Runs an expression in each dedicated worker of this name; gives how many there were. Sessions with the workers last
   * no longer than that.
   */
  async evaluateInWorkers(name: string, expression: string): Promise<number> {
    const guarded = `self.name === ${JSON.stringify(name)} && (${expression}, true)`;
    const results = await this.inWorkers(async (session) => {
      const { result } = await this.#browser.send('Runtime.evaluate', { expression: guarded }, session);
      return (result as { value: boolean }).value;
    });
    return results.filter(Boolean).length;
  }

  /** What `work` gives for a session with each worker of the page, its Service Worker too. The sessions end with it. */
  async inWorkers<T>(work: (session: string) => Promise<T>): Promise<T[]> {
    const sessions: string[] = [];
    const stopListening = this.#browser.on('Target.attachedToTarget', this.session, ({ sessionId }) =>
      sessions.push(sessionId as string),
    );
    const attach = (autoAttach: boolean): Promise<unknown> => {
      const how = { autoAttach, waitForDebuggerOnStart: false, flatten: true };
      return this.#browser.send('Target.setAutoAttach', how, this.session);
    };
    await attach(true);
    stopListening();
    const results = await Promise.all(sessions.map(work));
    await attach(false);
    return results;
  }

  /** Freezes the page, or lets it go on, as the browser does with tabs that nobody looks at. */
  async setLifecycle(state: 'frozen' | 'active'): Promise<void> {
    await this.#browser.send('Page.setWebLifecycleState', { state }, this.session);
  }

  /** Ends the page's process. */
  async crash(): Promise<void> {
    // The answer dies with the process.
    void this.#browser.send('Page.crash', {}, this.session).catch(() => {});
    await this.#browser.event('Inspector.targetCrashed', this.session);
  }

  async close(): Promise<void> {
    await this.#browser.send('Target.closeTarget', { targetId: this.targetId });
  }
}
