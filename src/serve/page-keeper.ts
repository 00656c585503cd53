/** Keeps a page open that runs models: one that is lost, with its browser or without, is replaced when the next is needed. @module */
import type { Browser, LaunchOptions } from 'playwright';
import { settledWithin } from '../core/platform/settled-within.js';
import { HOST_PAGE } from './static-files/host-files.js';
import { launchChromium } from './launch-chromium.js';
import { type PageChannel, PageDoor } from './page-door.js';

/** Milliseconds to wait before trying again to open a page. */
const RETRY_DELAY_MS = 1_000;

/** Milliseconds until a page must have connected. */
const CONNECT_TIMEOUT_MS = 40_000;

/** What to open. */
export interface PageKeeperOptions {
  /** Where the host page is served. */
  origin: string;
  launch: LaunchOptions | undefined;
}

/** A page that has connected. */
interface OpenPage {
  channel: PageChannel;
  close: () => void;
}

/** Owns the browser, from the first {@link page} until `close`. */
export class PageKeeper {
  readonly #options: PageKeeperOptions;
  readonly #door: PageDoor;
  #browser: Promise<Browser> | undefined;
  #page: Promise<OpenPage> | undefined;
  #closed = false;
  #sandbox: boolean | undefined;
  #name: string | undefined;

  constructor(options: PageKeeperOptions) {
    this.#options = options;
    this.#door = new PageDoor(options.origin);
  }

  /**
   * The page that is open, or is just being opened.
   * @throws Error that says what to do (no browser)
   */
  async page(): Promise<PageChannel> {
    if (this.#closed) throw new Error('The server is closed.');
    this.#page ??= this.#open();
    return (await this.#page).channel;
  }

  /** Whether the browser runs in its sandbox; undefined before it has started, and where the caller's options decide. */
  get sandbox(): boolean | undefined {
    return this.#sandbox;
  }

  /** The browser and its version; undefined before it has started. */
  get browser(): string | undefined {
    return this.#name;
  }

  /** Closes a page that does not respond, if it is still the one that is open. */
  async replace(channel: PageChannel): Promise<void> {
    const open = await this.#page?.catch(() => undefined);
    if (open?.channel === channel) open.close();
  }

  /** Ends the browser. */
  async close(): Promise<void> {
    this.#closed = true;
    const browser = await this.#browser?.catch(() => undefined);
    await browser?.close();
    this.#door.close();
  }

  #open(): Promise<OpenPage> {
    const lost = (): void => {
      if (this.#page === opening) this.#page = undefined;
    };
    const opening = this.#openPage();
    opening.then(
      ({ channel }) => {
        if (channel.closed.aborted) lost();
        else channel.closed.addEventListener('abort', lost);
      },
      () => setTimeout(lost, RETRY_DELAY_MS).unref(),
    );
    return opening;
  }

  /**
   * Not by `newPage`: Playwright stays attached to its own pages, and would be told of every message of the WebSocket. One
   * in a context that it has not made it lets go.
   */
  async #openPage(): Promise<OpenPage> {
    this.#browser ??= this.#launch();
    const browser = await this.#browser;
    const session = await browser.newBrowserCDPSession();
    const { browserContextId } = await session.send('Target.createBrowserContext');
    const expected = await this.#door.expect();
    const close = (): void => {
      expected.end();
      const disposed = session.send('Target.disposeBrowserContext', { browserContextId });
      void disposed.then(() => session.detach()).catch(() => {});
    };
    try {
      const url = `${this.#options.origin}${HOST_PAGE}#${expected.url}`;
      await session.send('Target.createTarget', { url, browserContextId });
      const channel = await settledWithin(expected.connected, CONNECT_TIMEOUT_MS);
      if (!channel) throw new Error('The page that runs the models did not start in time.');
      channel.closed.addEventListener('abort', close);
      return { channel, close };
    } catch (thrown) {
      close();
      throw thrown;
    }
  }

  async #launch(): Promise<Browser> {
    try {
      const { browser, sandbox } = await launchChromium(this.#options.launch, this.#sandbox);
      this.#sandbox = sandbox;
      this.#name = `Chromium ${browser.version()}`;
      browser.once('disconnected', () => {
        this.#browser = undefined;
        this.#page = undefined;
      });
      return browser;
    } catch (thrown) {
      this.#browser = undefined;
      throw thrown;
    }
  }
}
