/** The background's part of consent: it opens one consent page at a time, and tells who asks what the person said. @module */
import { InferenceError } from '../core/errors/inference-error.js';
import { pause } from '../core/platform/pause.js';
import { readDecision, watchDecisions } from './consent-store.js';
import type { AskConsentMessage, ConsentState } from './host-protocol.js';
import { isAskable } from './judge-origin.js';
import { originOf, type Sender, type WebExtension } from './web-extension.js';

/** Milliseconds that an answer waits for the person; then whoever asks does so again. The browser may end the background meanwhile. */
const ANSWER_WITHIN_MS = 15_000;

/** Milliseconds that an answered consent page stays open when it does not close itself and another question waits. */
const FAREWELL_MS = 1_000;

/** Where {@link OpenQuestions} lie: in memory that outlives the background. */
const QUESTIONS = 'inpage:questions';

/** How often the person closes a page's question without an answer before only a gesture in that page asks it again. */
const MAX_CLOSED = 2;

/** Of whom the person is asked. */
export interface OpenQuestions {
  /** The first is shown, the others wait. */
  origins: string[];
  /** Of the consent page that was opened last. */
  tab?: number | undefined;
  /** Whom that page asks about. */
  shown?: string | undefined;
  /** How often each question was closed without an answer, since the last gesture in its page. */
  closed?: Record<string, number>;
}

/** What is kept of the questions. @throws InferenceError `unavailable` without the permission */
export async function openQuestions({ storage }: WebExtension): Promise<OpenQuestions> {
  if (!storage?.session)
    throw new InferenceError('unavailable', 'A consent page needs the permission `storage` in the manifest.');
  const { [QUESTIONS]: kept } = await storage.session.get(QUESTIONS);
  return (kept as OpenQuestions | undefined) ?? { origins: [] };
}

/** Asks the person. One for each background. */
export class ConsentKeeper {
  readonly #api: WebExtension;
  readonly #page: string;
  readonly #waiting = new Map<string, Set<(state: ConsentState) => void>>();
  /** The questions are changed by one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  /** @param page address of the consent page */
  constructor(api: WebExtension, page: string) {
    this.#api = api;
    this.#page = page;
    watchDecisions(() => void this.#change(() => {}).catch(() => {}));
    api.tabs?.onRemoved.addListener((closed) => {
      void this.#change((questions) => {
        if (questions.tab !== closed) return;
        const { shown } = questions;
        questions.origins = questions.origins.filter((origin) => origin !== shown);
        if (shown !== undefined) questions.closed = { ...questions.closed, [shown]: closedOf(questions, shown) + 1 };
        delete questions.tab;
        delete questions.shown;
      }).catch(() => {});
    });
  }

  /**
   * What the person said of the page that asks.
   * @throws InferenceError `permission_denied` where nobody is asked, `unavailable`
   */
  async ask({ again, isForeignFrame, hasGesture }: AskConsentMessage, sender: Sender): Promise<ConsentState> {
    const origin = originOf(sender);
    if (!isAskable(origin) || (isForeignFrame && sender.frameId !== 0)) {
      const message =
        'Pages over http, pages without an origin and frames in pages of other origins may not use the models.';
      throw new InferenceError('permission_denied', message);
    }
    let resolve: (state: ConsentState) => void = () => {};
    const answer = new Promise<ConsentState>((settle) => (resolve = settle));
    const refusal = { isDue: false };
    await this.#change((questions) => {
      const { origins } = questions;
      if (hasGesture && questions.closed) delete questions.closed[origin];
      // A page that asks by itself would open its question again and again.
      refusal.isDue = !again && !origins.includes(origin) && closedOf(questions, origin) >= MAX_CLOSED;
      if (!refusal.isDue && !again && !origins.includes(origin)) origins.push(origin);
      // With its question: a change before this one would answer that there is none.
      const waiting = this.#waiting.get(origin) ?? new Set();
      this.#waiting.set(origin, waiting.add(resolve));
    });
    if (refusal.isDue && (await answer) === 'closed') {
      const message =
        'The question whether this page may use the models was closed several times. Ask again when the person clicks.';
      throw new InferenceError('permission_denied', message);
    }
    return Promise.race([answer, pause(ANSWER_WITHIN_MS).then(() => 'pending' as const)]);
  }

  /** Changes the questions, answers who waits, and opens the page of the next question. */
  #change(act: (questions: OpenQuestions) => void): Promise<void> {
    const changed = this.#last.then(async () => {
      const questions = await openQuestions(this.#api);
      act(questions);
      const decided = await Promise.all(questions.origins.map(readDecision));
      questions.origins = questions.origins.filter((_, index) => decided[index] === undefined);
      await this.#save(questions);
      await this.#answer(questions);
      await this.#show(questions);
    });
    this.#last = changed.catch(() => {});
    return changed;
  }

  async #save(questions: OpenQuestions): Promise<void> {
    await this.#api.storage?.session?.set({ [QUESTIONS]: questions });
  }

  async #show(questions: OpenQuestions): Promise<void> {
    const { tabs } = this.#api;
    const [first] = questions.origins;
    if (first === undefined || first === questions.shown) return;
    const { tab: earlier } = questions;
    if (earlier !== undefined) {
      // It has just been answered, and may have something to say about it.
      await pause(FAREWELL_MS);
      // Noted before it is closed, which is told as if the person had done so.
      delete questions.tab;
      await this.#save(questions);
      await tabs?.remove(earlier).catch(() => {});
    }
    questions.shown = first;
    try {
      questions.tab = (await tabs?.create({ url: this.#page }))?.id;
    } catch (thrown) {
      questions.origins.shift();
      delete questions.shown;
      throw new InferenceError('unavailable', `The page ${this.#page} cannot be opened.`, {}, { cause: thrown });
    } finally {
      await this.#save(questions);
    }
  }

  async #answer({ origins }: OpenQuestions): Promise<void> {
    for (const [origin, waiting] of this.#waiting) {
      const allowed = await readDecision(origin);
      if (allowed === undefined && origins.includes(origin)) continue;
      this.#waiting.delete(origin);
      const state = allowed === undefined ? 'closed' : allowed ? 'allowed' : 'denied';
      for (const resolve of waiting) resolve(state);
    }
  }
}

function closedOf({ closed }: OpenQuestions, origin: string): number {
  return closed?.[origin] ?? 0;
}
