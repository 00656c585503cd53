/** Models that need a page: that of a headless browser, which is opened again when it is lost. @module */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ScriptedEntry } from '../../core/models/model-entry.js';
import { PageKeeper, type PageKeeperOptions } from './page-keeper.js';
import { sendUnavailable } from './send-unavailable.js';
import type { ServedModels } from './served-models.js';
import { sendUnknownPath } from './unknown-path.js';

/** See the module. */
export class ModelsInPage implements ServedModels {
  readonly baseURL: string;
  readonly #keeper: PageKeeper;
  readonly #options: PageKeeperOptions;

  private constructor(baseURL: string, keeper: PageKeeper, options: PageKeeperOptions) {
    this.baseURL = baseURL;
    this.#keeper = keeper;
    this.#options = options;
  }

  /** @throws Error that says what to do (no browser), or InferenceError of `startInference` (an option is wrong) */
  static async open(options: PageKeeperOptions): Promise<ModelsInPage> {
    const keeper = new PageKeeper(options);
    try {
      const { baseURL } = await keeper.page();
      return new ModelsInPage(baseURL, keeper, options);
    } catch (thrown) {
      await keeper.close();
      throw thrown;
    }
  }

  get browser(): string | undefined {
    return this.#keeper.browser;
  }

  get sandbox(): boolean | undefined {
    return this.#keeper.sandbox;
  }

  isReady(): Promise<boolean> {
    return this.#keeper.page().then(
      () => true,
      () => false,
    );
  }

  async answer(url: string | undefined, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { origin, inference } = this.#options;
    const { compatibility } = inference;
    const prefix = new URL(this.baseURL).pathname;
    const asked = new URL(request.url ?? '/', origin);
    const open = await this.#keeper.page().catch(() => undefined);
    if (!open) return sendUnavailable(response, { url: url ?? asked.href, compatibility, prefix });
    if (url === undefined) sendUnknownPath(response, asked.pathname, prefix);
    else await open.forward(url, request, response);
  }

  async recorded(): Promise<ScriptedEntry[]> {
    return (await this.#keeper.page()).recorded();
  }

  close(): Promise<void> {
    return this.#keeper.close();
  }
}
