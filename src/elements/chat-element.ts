/** `<inpage-chat>`: a chat in one tag, for trying a model and for pages without an app. @module */
import { createParser } from 'eventsource-parser';
import { assign, fill, make } from './dom.js';
import { ServiceElement } from './service-element.js';
import { type ElementInference, failureOf } from './service-link.js';
import { createRoot } from './styles.js';
import { type ChatTexts, DEFAULT_CHAT_TEXTS, wordsOf } from './texts.js';

/** A turn, in the form of Chat Completions. */
export interface ChatElementMessage {
  /** Whose turn it is. */
  role: 'system' | 'user' | 'assistant';
  /** Its text, or its parts, of which the texts are shown. */
  content: string | readonly { type: string; text?: string }[];
}

/** What `keyCode` is while an input method takes the keys. */
const COMPOSING_KEY = 229;

/** Pixels from the end of the log that count as its end. */
const END_PX = 24;

/**
 * The chat.
 * @example
 * import 'inpage/elements';
 * const chat = document.querySelector('inpage-chat')!;
 * chat.inference = await startInference();
 * await chat.send('What is the capital of France?');
 */
export class InferenceChatElement extends ServiceElement {
  static readonly observedAttributes = ['model', 'system', 'lang'];

  /** @internal */
  protected readonly settable = ['model', 'system', 'texts', 'renderMessage', 'messages'];
  readonly #root: ShadowRoot;
  readonly #notice = make('p', { part: 'notice' });
  readonly #log = make('div', { part: 'log', role: 'log', tabindex: '0' });
  readonly #error = make('div', { part: 'error', role: 'alert', hidden: true });
  readonly #input = make('textarea', { part: 'input', rows: '2' });
  readonly #send = make('button', { part: 'button', type: 'button', 'data-action': 'send' });
  readonly #stop = make('button', { part: 'button', type: 'button', 'data-action': 'stop', hidden: true });
  #messages: ChatElementMessage[] = [];
  #texts: ChatTexts = {};
  #renderMessage: ((text: string) => Node) | undefined;
  #running: AbortController | undefined;
  /** Resolves when what runs has ended. */
  #ended = Promise.resolve();
  /** Of the answer that was copied last. */
  #copied: HTMLElement | undefined;

  constructor() {
    super();
    this.#root = createRoot(this);
    const form = make('div', { part: 'form' }, this.#input, this.#send, this.#stop);
    this.#root.append(this.#notice, this.#log, this.#error, form);
    this.#send.addEventListener('click', () => void this.#sendInput());
    this.#stop.addEventListener('click', () => this.stop());
    this.#input.addEventListener('keydown', (event) => {
      // Safari tells the key that ends a composition after its end, with this code.
      const isComposing = event.isComposing || event.keyCode === COMPOSING_KEY;
      if (event.key !== 'Enter' || event.shiftKey || isComposing) return;
      event.preventDefault();
      void this.#sendInput();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    // One that is only moved is in the document again by then, and goes on.
    queueMicrotask(() => {
      if (!this.isConnected) this.stop();
    });
  }

  /** @internal */
  protected serviceChanged(): void {
    this.#render();
  }

  attributeChangedCallback(): void {
    this.#render();
  }

  /** Id of the model; `''`: the first chat model of the catalog. */
  get model(): string {
    return this.getAttribute('model') ?? '';
  }

  set model(model: string) {
    if (model) this.setAttribute('model', model);
    else this.removeAttribute('model');
  }

  /** What the model is told before the conversation. */
  get system(): string {
    return this.getAttribute('system') ?? '';
  }

  set system(system: string) {
    if (system) this.setAttribute('system', system);
    else this.removeAttribute('system');
  }

  /** The conversation without `system`, as copies. Setting it ends what runs. */
  get messages(): ChatElementMessage[] {
    return this.#messages.map((message) => ({ ...message }));
  }

  set messages(messages: readonly ChatElementMessage[]) {
    this.stop();
    this.#setRunning(undefined);
    this.#messages = [...(messages ?? [])].map((message) => ({ ...message }));
    this.#showError(undefined);
    this.#log.replaceChildren(...this.#messages.map((message) => this.#messageElement(message)));
    this.#log.scrollTop = this.#log.scrollHeight;
    this.#render();
  }

  /** Words in another language; missing ones are English. */
  get texts(): ChatTexts {
    return this.#texts;
  }

  set texts(texts: ChatTexts) {
    this.#texts = texts ?? {};
    this.#render();
  }

  /** Makes an element of an answer's text, e.g. of its Markdown. Where it throws, the text stands there. */
  get renderMessage(): ((text: string) => Node) | undefined {
    return this.#renderMessage;
  }

  set renderMessage(render: ((text: string) => Node) | undefined) {
    this.#renderMessage = render ?? undefined;
    this.#messages.forEach(({ role, content }, place) => {
      const element = this.#log.children[place] as HTMLElement | undefined;
      if (role === 'assistant' && element) this.#showText(element, textOf(content), this.#renderMessage);
    });
  }

  /** Asks. Resolves when the answer has ended, however; while one is written, nothing is sent. */
  async send(text: string): Promise<void> {
    // What was stopped keeps its place before the question.
    if (this.#running?.signal.aborted) await this.#ended;
    if (this.#running || text.trim() === '') return;
    const message: ChatElementMessage = { role: 'user', content: text };
    this.#messages.push(message);
    this.#append(this.#messageElement(message));
    await (this.#ended = this.#ask());
  }

  /** Ends the answer that is written, keeps what is there, and frees the engine. */
  stop(): void {
    this.#running?.abort();
  }

  /** Ends what runs and forgets the conversation. */
  clear(): void {
    this.messages = [];
  }

  get #words(): typeof DEFAULT_CHAT_TEXTS {
    return wordsOf(DEFAULT_CHAT_TEXTS, this.#texts);
  }

  async #sendInput(): Promise<void> {
    const { value } = this.#input;
    if (this.#running || value.trim() === '') return;
    this.#input.value = '';
    await this.send(value);
  }

  /** Answers the conversation as it is. */
  async #ask(): Promise<void> {
    const controller = new AbortController();
    // What is written piece by piece is read out when it is whole.
    this.#setRunning(controller);
    const { signal } = controller;
    const answer = { role: 'assistant' as const, content: '' };
    const element = this.#messageElement(answer);
    // Set by the app in the meantime, it is another conversation.
    const messages = this.#messages;
    this.#showError(undefined);
    this.#render();
    let failure: unknown;
    try {
      for await (const piece of this.#pieces(signal)) {
        if (signal.aborted) break;
        answer.content += piece;
        this.#keepAtEnd(() => {
          if (!element.isConnected) this.#log.append(element);
          this.#showText(element, answer.content);
        });
      }
    } catch (thrown) {
      if (!signal.aborted) failure = thrown;
    }
    if (this.#running === controller) this.#setRunning(undefined);
    const isWhole = failure === undefined && !signal.aborted;
    if (this.#messages === messages && (isWhole || answer.content !== '')) this.#finish(answer, element);
    if (this.#messages === messages && failure !== undefined) {
      this.#showError(failure);
      this.dispatchEvent(new CustomEvent('error', { detail: failure }));
    }
    this.#render();
  }

  #setRunning(controller: AbortController | undefined): void {
    this.#running = controller;
    assign(this.#log, { 'aria-busy': controller && 'true' });
  }

  #finish(answer: ChatElementMessage & { content: string }, element: HTMLElement): void {
    this.#messages.push(answer);
    this.#keepAtEnd(() => {
      if (!element.isConnected) this.#log.append(element);
      this.#showText(element, answer.content, this.#renderMessage);
    });
    this.dispatchEvent(new CustomEvent('message', { bubbles: true, detail: { ...answer } }));
  }

  async *#pieces(signal: AbortSignal): AsyncGenerator<string> {
    const inference = await this.#ready(signal);
    const model = this.model || inference.status().find(({ task }) => task === 'chat')?.id;
    if (model === undefined) throw new Error(this.#words.noModel);
    const { system } = this;
    const messages = [...(system ? [{ role: 'system', content: system }] : []), ...this.#messages];
    const response = await inference.fetch(`${inference.baseURL}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages, stream: true }),
      signal,
    });
    if (!response.ok || !response.body) throw new Error(await reasonOf(response));
    yield* readPieces(response.body, signal);
  }

  /** The service, once a store has started it. */
  async #ready(signal: AbortSignal): Promise<ElementInference> {
    const { shownStore } = this.link;
    if (shownStore) await Promise.race([shownStore.start(), aborted(signal)]);
    signal.throwIfAborted();
    const { state } = this.link;
    if (state.state === 'ready') return state.inference;
    throw new Error(this.#words.nothing);
  }

  #showError(thrown: unknown): void {
    assign(this.#error, { hidden: thrown === undefined });
    if (thrown === undefined) return this.#error.replaceChildren();
    const words = this.#words;
    const retry = make('button', { part: 'button', type: 'button', 'data-action': 'retry', text: words.retry });
    retry.addEventListener('click', () => {
      if (this.#running) return;
      // What was written before it broke is asked for anew.
      if (this.#messages.at(-1)?.role === 'assistant') {
        this.#messages.pop();
        this.#log.lastElementChild?.remove();
      }
      this.#input.focus();
      this.#ended = this.#ask();
    });
    const text = fill(words.failed, { reason: failureOf(thrown).message });
    this.#error.replaceChildren(make('p', { text }), retry);
  }

  #messageElement({ role, content }: ChatElementMessage): HTMLElement {
    const words = this.#words;
    const element = make(
      'div',
      { part: 'message', 'data-role': role },
      make('p', { part: 'role', text: words[role] ?? role }),
      make('div', { part: 'text' }),
    );
    this.#showText(element, textOf(content), role === 'assistant' ? this.#renderMessage : undefined);
    if (role !== 'assistant') return element;
    const copy = make('button', { part: 'button', type: 'button', 'data-action': 'copy', text: words.copy });
    copy.addEventListener('click', () => void this.#copy(element, copy));
    element.append(copy);
    return element;
  }

  async #copy(element: HTMLElement, button: HTMLElement): Promise<void> {
    const place = [...this.#log.children].indexOf(element);
    const shown = element.querySelector<HTMLElement>('[part=text]')!;
    const message = this.#messages[place];
    try {
      await navigator.clipboard.writeText(message ? textOf(message.content) : (shown.textContent ?? ''));
      this.#copied = button;
      this.#renderWords(this.#words);
    } catch {
      // Not in a secure context, or not allowed: the person copies what is selected.
      getSelection()?.selectAllChildren(shown);
    }
  }

  /** A model's text is text; only the app's own function makes more of it. */
  #showText(element: HTMLElement, text: string, render?: (text: string) => Node): void {
    const place = element.querySelector<HTMLElement>('[part=text]')!;
    if (render && text !== '') {
      try {
        return place.replaceChildren(render(text));
      } catch (thrown) {
        console.warn('renderMessage of <inpage-chat> threw:', thrown);
      }
    }
    place.textContent = text;
  }

  #append(element: HTMLElement): void {
    this.#log.append(element);
    this.#log.scrollTop = this.#log.scrollHeight;
  }

  /** Scrolls along only when the end was in view. */
  #keepAtEnd(change: () => void): void {
    const log = this.#log;
    const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight <= END_PX;
    change();
    if (isAtEnd) log.scrollTop = log.scrollHeight;
  }

  #render(): void {
    const words = this.#words;
    const isNothing = this.link.state.state === 'none';
    const isRunning = this.#running !== undefined;
    const focused = this.#root.activeElement;
    assign(this.#notice, { text: isNothing ? words.nothing : '', hidden: !isNothing });
    assign(this.#log, { 'aria-label': words.log });
    assign(this.#input, { 'aria-label': words.input, placeholder: words.placeholder });
    assign(this.#send, { text: words.send, hidden: isRunning });
    assign(this.#stop, { text: words.stop, hidden: !isRunning });
    this.#renderWords(words);
    // The button that takes the place of the other takes its focus too.
    if (focused === this.#send && isRunning) this.#stop.focus();
    if (focused === this.#stop && !isRunning) this.#input.focus();
    this.#send.disabled = isNothing;
  }

  /** Words of what was said before: they may have been replaced. */
  #renderWords(words: typeof DEFAULT_CHAT_TEXTS): void {
    for (const element of this.#log.children) {
      const role = (element as HTMLElement).dataset['role'] as ChatElementMessage['role'];
      assign(element.querySelector<HTMLElement>('[part=role]')!, { text: words[role] ?? role });
      const copy = element.querySelector<HTMLElement>('[data-action=copy]');
      if (copy) assign(copy, { text: copy === this.#copied ? words.copied : words.copy });
    }
    const retry = this.#error.querySelector('button');
    if (retry) assign(retry, { text: words.retry });
  }
}

function textOf(content: ChatElementMessage['content'] | null): string {
  return typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('\n');
}

/** Rejects when the signal says so. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

/** The text of a stream of Chat Completions. @throws Error with the message of an error in it */
async function* readPieces(body: ReadableStream<Uint8Array<ArrayBuffer>>, signal: AbortSignal): AsyncGenerator<string> {
  const pieces: string[] = [];
  let failure: string | undefined;
  const parser = createParser({
    onEvent({ data }) {
      if (data === '[DONE]') return;
      const { choices = [], error } = JSON.parse(data) as {
        choices?: { delta?: { content?: string | null } }[];
        error?: { message?: string };
      };
      if (error) failure = error.message ?? '';
      const text = choices[0]?.delta?.content;
      if (text) pieces.push(text);
    },
  });
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  signal.addEventListener('abort', () => void reader.cancel().catch(() => {}), { once: true });
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      parser.feed(next.value);
      yield* pieces.splice(0);
      if (failure !== undefined) throw new Error(failure);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** What a refused request says. */
async function reasonOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { error, message } = JSON.parse(text) as { error?: { message?: string } | string; message?: string };
    return (typeof error === 'string' ? error : error?.message) ?? message ?? text;
  } catch {
    return text;
  }
}
