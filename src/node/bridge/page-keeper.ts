/** Keeps a page open that answers: one that is lost, with its browser or without, is replaced by the next request. @module */
import type { Browser, LaunchOptions } from 'playwright';
import { launchChromium } from './launch-chromium.js';
import { type HostedOptions, PageBridge } from './page-bridge.js';
import type { RequestBodies } from './request-bodies.js';

/** Milliseconds to wait before trying again to open a page. */
const RETRY_DELAY_MS = 1_000;

/** What to open. */
export interface PageKeeperOptions {
  /** Where the host page is served. */
  origin: string;
  inference: HostedOptions;
  /** Served there, too. */
  bodies: RequestBodies;
  launch: LaunchOptions | undefined;
}

/** Owns the browser, from the first {@link page} until `close`. */
export class PageKeeper {
  readonly #options: PageKeeperOptions;
  #browser: Promise<Browser> | undefined;
  #page: Promise<PageBridge> | undefined;
  #closed = false;
  #sandbox: boolean | undefined;
  #name: string | undefined;

  constructor(options: PageKeeperOptions) {
    this.#options = options;
  }

  /**
   * The page that is open, or is just being opened.
   * @throws Error that says what to do (no browser), or InferenceError of `startInference` (an option is wrong)
   */
  page(): Promise<PageBridge> {
    if (this.#closed) return Promise.reject(new Error('The server is closed.'));
    return (this.#page ??= this.#open());
  }

  /** Whether the browser runs in its sandbox; undefined before it has started, and where the caller's options decide. */
  get sandbox(): boolean | undefined {
    return this.#sandbox;
  }

  /** The browser and its version; undefined before it has started. */
  get browser(): string | undefined {
    return this.#name;
  }

  /** Ends the browser. */
  async close(): Promise<void> {
    this.#closed = true;
    const browser = await this.#browser?.catch(() => undefined);
    await browser?.close();
  }

  #open(): Promise<PageBridge> {
    const lost = (): void => {
      if (this.#page === opening) this.#page = undefined;
    };
    const opening = this.#openPage(lost);
    opening.catch(() => setTimeout(lost, RETRY_DELAY_MS).unref());
    return opening;
  }

  async #openPage(lost: () => void): Promise<PageBridge> {
    this.#browser ??= this.#launch();
    const page = await (await this.#browser).newPage();
    const close = (): void => void page.close().catch(() => {});
    page.once('close', lost);
    page.once('crash', () => {
      lost();
      close();
    });
    try {
      const { origin, inference, bodies } = this.#options;
      return await PageBridge.open(page, origin, inference, bodies);
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
