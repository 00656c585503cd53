/** Keeps a page open that answers: one that is lost, with its browser or without, is replaced by the next request. @module */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type LaunchOptions } from 'playwright';
import { type HostedOptions, PageBridge } from './page-bridge.js';

/** Milliseconds after a page could not be opened in which nobody tries again. */
const PAUSE = 1_000;

/** What to open. */
export interface PageKeeperOptions {
  /** Where the host page is served. */
  origin: string;
  inference: HostedOptions;
  launch: LaunchOptions | undefined;
}

/** Owns the browser, from the first {@link page} until `close`. */
export class PageKeeper {
  readonly #options: PageKeeperOptions;
  #browser: Promise<Browser> | undefined;
  #page: Promise<PageBridge> | undefined;
  #closed = false;
  #sandbox: boolean | undefined;

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
    opening.catch(() => setTimeout(lost, PAUSE).unref());
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
      return await PageBridge.open(page, this.#options.origin, this.#options.inference);
    } catch (thrown) {
      close();
      throw thrown;
    }
  }

  async #launch(): Promise<Browser> {
    try {
      const browser = await this.#launchSandboxed();
      browser.once('disconnected', () => {
        this.#browser = undefined;
        this.#page = undefined;
      });
      return browser;
    } catch (thrown) {
      this.#browser = undefined;
      throw explainLaunch(thrown, this.#options.launch?.executablePath);
    }
  }

  /** In the sandbox wherever it can run: not as root, and not where the system gives no namespaces. */
  async #launchSandboxed(): Promise<Browser> {
    const { launch = {} } = this.#options;
    if (launch.chromiumSandbox !== undefined || launch.args?.includes('--no-sandbox')) return chromium.launch(launch);
    if (this.#sandbox !== false) {
      try {
        const browser = await chromium.launch({ ...launch, chromiumSandbox: true });
        this.#sandbox = true;
        return browser;
      } catch (thrown) {
        // It ran before, so the sandbox is not what is missing now.
        if (this.#sandbox) throw thrown;
      }
    }
    const browser = await chromium.launch({ ...launch, chromiumSandbox: false });
    this.#sandbox = false;
    return browser;
  }
}

/**
 * Playwright's message is a page long, and its first line says little.
 * @param path the executable, where the caller named one
 */
function explainLaunch(thrown: unknown, path: string | undefined): Error {
  return new Error(reasonOf(thrown instanceof Error ? thrown.message : String(thrown), path), { cause: thrown });
}

function reasonOf(message: string, path: string | undefined): string {
  if (path !== undefined && !existsSync(path)) {
    return `There is no browser at ${path}. Check \`--chromium\` (\`launch.executablePath\`).`;
  }
  if (/Executable doesn't exist|playwright install/.test(message)) {
    return 'Playwright has no Chromium here. Run `npx playwright install chromium`, or name one that is installed with `--chromium PATH` (`launch.executablePath`).';
  }
  if (/missing dependencies|shared libraries/.test(message)) {
    return 'Chromium lacks libraries of the system. Run `npx playwright install-deps chromium`.';
  }
  return `Chromium did not start. ${message.split('\n', 1)[0]}`;
}
