/** `<inpage-models>`: what each model costs, whether it runs here, and how to get it and be rid of it. @module */
import type { ModelEstimate } from '../core/models/model-estimate.js';
import type { TypedModelEntry as ModelEntry } from '../core/models/model-entry.js';
import type { RecommendedModel } from '../core/models/recommended-models.js';
import type { StoredModel } from '../core/models/stored-model.js';
import { ask, withdrawQuestion } from './ask.js';
import { assign, fill, formatBytes, keepFocus, languageOf, make, parseBytes } from './dom.js';
import { beginDownload, downloadsOf, pauseDownload } from './downloads.js';
import { type ModelAction, type ModelFacts, ModelRow } from './model-row.js';
import { ServiceElement } from './service-element.js';
import { type ElementInference, failureOf } from './service-link.js';
import { createRoot } from './styles.js';
import { DEFAULT_TEXTS, type ModelsTexts, wordsOf } from './texts.js';

/** Bytes of a download that needs no question. */
const CONSENT_ABOVE = 50e6;
/** Milliseconds between two looks at what is stored: another tab may have changed it. */
const POLL_MS = 1_500;
/** Milliseconds between two changes of what is shown: progress is told far more often. */
const RENDER_MS = 250;
/** Milliseconds between two announcements of progress. */
const ANNOUNCE_MS = 10_000;

/** What `consent` events tell. */
export interface ConsentDetail {
  /** Id of the model. */
  model: string;
  /** That would be fetched; null: not stated. */
  bytes: number | null;
  /** Name of its license, as far as it is known. */
  license: string | undefined;
  /** Where they come from. */
  host: string;
}

/**
 * The picker.
 * @example
 * import 'inpage/elements';
 * const picker = document.querySelector('inpage-models')!;
 * picker.store = createInferenceStore({ models });
 * picker.addEventListener('change', () => console.log(picker.value));
 */
export class InferenceModelsElement extends ServiceElement {
  static readonly formAssociated = true;
  static readonly observedAttributes = ['task', 'recommended', 'consent-above', 'disabled', 'value', 'lang'];

  /** @internal */
  protected readonly settable = ['value', 'texts', 'consentAbove', 'name', 'disabled'];
  readonly #internals: ElementInternals;
  readonly #root: ShadowRoot;
  readonly #rows = new Map<string, ModelRow>();
  readonly #list = make('div', { part: 'list', role: 'radiogroup' });
  readonly #notice = make('p', { part: 'notice' });
  readonly #failure = make('div', { part: 'error', role: 'alert', hidden: true });
  readonly #failureText = make('p');
  readonly #startAgain = make('button', { part: 'button', type: 'button', 'data-action': 'retry' });
  readonly #keptTitle = make('h2', { part: 'kept-title', hidden: true });
  readonly #kept = make('div', { part: 'kept-list' });
  readonly #status = make('p', { part: 'status', role: 'status' });
  #texts: ModelsTexts = {};
  #consentAbove: number | string | undefined;
  #value = '';
  /** Set by the person or by code; until then the attribute `value` is the value. */
  #isValueSet = false;
  #isFormDisabled = false;
  #service: ElementInference | undefined;
  readonly #estimates = new Map<string, ModelEstimate>();
  /** Estimates that were asked for since something of their model changed. */
  readonly #asked = new Map<string, Promise<void>>();
  #stored: readonly StoredModel[] = [];
  #recommended: readonly RecommendedModel[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #poll: ReturnType<typeof setInterval> | undefined;
  #announcedAt = -Infinity;
  /** The model that had the focus when all went, as the service starts again. */
  #leftAt: string | undefined;
  /** Until a download shows that this browser does not. */
  #keepsFiles = true;
  /** Failures of loads and removals, by model. */
  readonly #failures = new Map<string, { action: ModelAction; thrown: unknown }>();

  constructor() {
    super();
    this.#internals = this.attachInternals();
    this.#root = createRoot(this);
    this.#root.append(this.#notice, this.#failure, this.#list, this.#keptTitle, this.#kept, this.#status);
    this.#startAgain.addEventListener('click', () => void this.link.shownStore?.start().catch(() => {}));
    // The native event leaves the shadow root by itself, after this; `change` does not.
    this.#list.addEventListener('input', (event) => this.#choose(event));
    this.#list.addEventListener('change', () => this.dispatchEvent(new Event('change', { bubbles: true })));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#poll = setInterval(() => void this.#readStored(), POLL_MS);
    void this.#readRecommended();
    this.#render();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    withdrawQuestion(this.#root);
    if (this.#service) downloadsOf(this.#service).listeners.delete(this.#onDownloads);
    this.#service = undefined;
    clearInterval(this.#poll);
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after) return;
    if (name === 'value' && !this.#isValueSet) this.#setValue(after ?? '');
    if (name === 'recommended' || name === 'task') void this.#readRecommended();
    this.#render();
  }

  formResetCallback(): void {
    this.#isValueSet = false;
    this.#setValue(this.getAttribute('value') ?? '');
    this.#render();
  }

  formDisabledCallback(disabled: boolean): void {
    this.#isFormDisabled = disabled;
    this.#render();
  }

  /** What the browser kept of a form that the person comes back to. */
  formStateRestoreCallback(state: string | File | FormData | null): void {
    if (typeof state === 'string') this.value = state;
  }

  /** Id of the chosen model, `''`: none. Setting it dispatches nothing; a model that the catalog does not have yet is kept. */
  get value(): string {
    return this.#value;
  }

  set value(value: string) {
    this.#isValueSet = true;
    this.#setValue(value ?? '');
    this.#render();
  }

  /** Words in another language; missing ones are English. */
  get texts(): ModelsTexts {
    return this.#texts;
  }

  set texts(texts: ModelsTexts) {
    this.#texts = texts ?? {};
    this.#render();
  }

  /** Bytes, or a text such as `50MB`, above which a download is asked for. */
  get consentAbove(): number | string {
    return this.#consentAbove ?? this.getAttribute('consent-above') ?? CONSENT_ABOVE;
  }

  set consentAbove(size: number | string) {
    this.#consentAbove = size ?? undefined;
  }

  get name(): string {
    return this.getAttribute('name') ?? '';
  }

  set name(name: string) {
    this.setAttribute('name', name);
  }

  get disabled(): boolean {
    return this.hasAttribute('disabled');
  }

  set disabled(disabled: boolean) {
    this.toggleAttribute('disabled', disabled);
  }

  get form(): HTMLFormElement | null {
    return this.#internals.form;
  }

  /** Brings a model's files to this device, and asks no one: the app has asked. Resolves when it has ended, or was paused. */
  async download(model: string): Promise<void> {
    const inference = this.#inference();
    this.#failures.delete(model);
    if (!inference) return;
    await beginDownload(inference, model);
    await this.#refresh(model);
    // This browser keeps no files: what was fetched is gone, and a load fetches it into memory.
    const hasFailed = downloadsOf(inference).failures.has(model);
    if (!hasFailed && storedOf(this.#stored, model).length === 0 && this.#estimates.get(model)?.missingBytes !== 0) {
      this.#keepsFiles = false;
      this.#render();
    }
  }

  /** Ends the transfer and keeps what is there. */
  async pause(model: string): Promise<void> {
    const inference = this.#inference();
    if (inference) await pauseDownload(inference, model);
    await this.#refresh(model);
  }

  /** Ends the transfer and removes what is there. */
  async cancel(model: string): Promise<void> {
    await this.pause(model);
    await this.remove(model);
  }

  /** Takes the element out of the document, as every element's `remove` does. */
  // oxlint-disable-next-line typescript/no-misused-promises -- a name that outside tests rely on; without an argument it is the platform's own
  override remove(): void;
  /** Deletes a model's files. @param model its id, or the source of one that is in no catalog */
  // oxlint-disable-next-line typescript/no-misused-promises
  override remove(model: string): Promise<void>;
  // oxlint-disable-next-line typescript/no-misused-promises
  override remove(model?: string): void | Promise<void> {
    return model === undefined ? super.remove() : this.#removeFiles(model);
  }

  async #removeFiles(model: string): Promise<void> {
    const inference = this.#inference();
    if (inference) downloadsOf(inference).failures.delete(model);
    try {
      await inference?.remove?.(model);
      this.#failures.delete(model);
    } catch (thrown) {
      // A download that was cancelled before its first byte has left nothing.
      if (failureOf(thrown).code !== 'model_not_found') this.#failures.set(model, { action: 'remove', thrown });
    }
    await this.#refresh(model);
  }

  #inference(): ElementInference | undefined {
    const { state } = this.link;
    return state.state === 'ready' ? state.inference : undefined;
  }

  get #words(): typeof DEFAULT_TEXTS {
    return wordsOf(DEFAULT_TEXTS, this.#texts);
  }

  get #isDisabled(): boolean {
    return this.disabled || this.#isFormDisabled;
  }

  #setValue(value: string): void {
    this.#value = value;
    this.#internals.setFormValue(value === '' ? null : value);
  }

  #choose(event: Event): void {
    const radio = event.target as HTMLInputElement;
    this.#isValueSet = true;
    this.#setValue(radio.value);
  }

  readonly #onDownloads = (): void => {
    this.serviceChanged();
    void this.#readStored();
  };

  /** @internal Shows what has changed, at most {@link RENDER_MS} later. */
  protected serviceChanged(): void {
    if (!this.isConnected) return;
    const inference = this.#inference();
    if (inference !== this.#service) {
      if (this.#service) downloadsOf(this.#service).listeners.delete(this.#onDownloads);
      this.#service = inference;
      withdrawQuestion(this.#root);
      this.#estimates.clear();
      this.#asked.clear();
      this.#failures.clear();
      this.#stored = [];
      if (inference) {
        downloadsOf(inference).listeners.add(this.#onDownloads);
        void this.#readStored();
      }
      this.#render();
      return;
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#render();
    }, RENDER_MS);
  }

  async #readStored(): Promise<void> {
    const inference = this.#inference();
    if (!inference?.stored || document.visibilityState === 'hidden') return;
    const stored = await inference.stored().catch(() => undefined);
    if (!stored || this.#inference() !== inference || JSON.stringify(stored) === JSON.stringify(this.#stored)) return;
    const before = this.#stored;
    this.#stored = stored;
    const differs = (id: string): boolean =>
      JSON.stringify(storedOf(before, id)) !== JSON.stringify(storedOf(stored, id));
    const sum = (all: readonly StoredModel[]): number => all.reduce((bytes, each) => bytes + each.bytes, 0);
    // What was removed is room for others.
    const hasRoom = sum(stored) < sum(before);
    const lacksRoom = (id: string): boolean =>
      this.#estimates.get(id)?.reasons.some(({ code }) => code === 'storage') ?? false;
    for (const id of this.#asked.keys()) {
      // While it comes in, progress says more.
      const isRunning = downloadsOf(inference).running.has(id);
      if (!isRunning && (differs(id) || (hasRoom && lacksRoom(id)))) this.#asked.delete(id);
    }
    this.serviceChanged();
  }

  async #readRecommended(): Promise<void> {
    if (!this.hasAttribute('recommended')) {
      this.#recommended = [];
      return this.serviceChanged();
    }
    const { recommendedHere } = await import('./recommended-here.js');
    this.#recommended = await recommendedHere(this.getAttribute('task') ?? undefined).catch(() => []);
    this.serviceChanged();
  }

  async #refresh(model: string): Promise<void> {
    this.#asked.delete(model);
    await this.#readStored();
    await this.#estimate(model);
    this.#render();
  }

  /** Resolves when what is known of a model's costs is up to date. */
  #estimate(model: string): Promise<void> {
    const known = this.#asked.get(model);
    if (known) return known;
    const asked = this.#askEstimate(model);
    this.#asked.set(model, asked);
    return asked;
  }

  async #askEstimate(model: string): Promise<void> {
    const inference = this.#inference();
    if (!inference?.estimate) return;
    const estimate = await inference.estimate(model).catch(() => undefined);
    if (estimate && this.#inference() === inference) this.#estimates.set(model, estimate);
    this.serviceChanged();
  }

  /** Asks what has to be asked, then fetches. */
  async #offer(model: string, get: (model: string) => Promise<void>): Promise<void> {
    if (!this.#estimates.has(model)) await this.#estimate(model);
    if (!this.#estimates.has(model)) {
      // Its list of files was out of reach when it was asked for.
      this.#asked.delete(model);
      await this.#estimate(model);
    }
    const estimate = this.#estimates.get(model);
    if (estimate?.verdict === 'no') return;
    const bytes = estimate?.missingBytes ?? null;
    const limit = parseBytes(this.consentAbove) ?? CONSENT_ABOVE;
    if (bytes === null || bytes > limit) {
      const detail: ConsentDetail = { model, bytes, license: estimate?.license, host: this.#hostOf(model) };
      const event = new CustomEvent<ConsentDetail>('consent', { bubbles: true, cancelable: true, detail });
      if (!this.dispatchEvent(event) || !(await this.#askConsent(detail))) return;
    }
    await get(model);
  }

  #askConsent({ model, bytes, license, host }: ConsentDetail): Promise<boolean> {
    const words = this.#words;
    const size = bytes === null ? words.unknownSize : formatBytes(bytes, languageOf(this));
    return ask(this.#root, {
      part: 'consent',
      title: fill(words.consentTitle, { model }),
      lines: [
        fill(words.consentSize, { size }),
        ...(license === undefined ? [] : [fill(words.license, { license })]),
        fill(words.consentHost, { host }),
      ],
      agree: words.agree,
      decline: words.decline,
    });
  }

  /** Where the files of a model come from, as far as this page can tell. */
  #hostOf(model: string): string {
    const source = this.#stored.find(({ models }) => models.includes(model))?.source;
    const recommended = this.#recommended.find(({ entry }) => entry.id === model);
    const known = source ?? (recommended ? 'https://huggingface.co/' : this.#estimates.get(model)?.source);
    try {
      return new URL(known ?? location.href, location.href).host;
    } catch {
      return known ?? location.host;
    }
  }

  async #act(action: ModelAction, model: string): Promise<void> {
    const inference = this.#inference();
    if (!inference) return;
    const recommended = this.#recommended.find(({ entry }) => entry.id === model);
    const isListed = inference.status().some(({ id }) => id === model);
    if (recommended && !isListed) return this.#add(recommended.entry);
    switch (action) {
      case 'download':
        return this.#offer(model, (agreed) => this.download(agreed));
      case 'resume':
        return this.download(model);
      case 'pause':
        return this.pause(model);
      case 'cancel':
        return this.cancel(model);
      case 'load':
        if (this.#rows.get(model)?.state === 'absent') return this.#offer(model, (agreed) => this.#run('load', agreed));
        return this.#run('load', model);
      case 'unload':
        return this.#run('unload', model);
      case 'remove':
        return this.#confirmRemoval(model);
      case 'retry': {
        const failed = this.#failures.get(model)?.action;
        if (failed === 'remove') return this.remove(model);
        return failed || !downloadsOf(inference).failures.has(model) ? this.#run('load', model) : this.download(model);
      }
    }
  }

  async #run(action: 'load' | 'unload', model: string): Promise<void> {
    this.#failures.delete(model);
    try {
      await this.#inference()?.[action]?.(model);
    } catch (thrown) {
      // What was unloaded while it was loading has not failed.
      if (this.#rows.get(model)?.state !== 'absent') this.#failures.set(model, { action, thrown });
    }
    await this.#refresh(model);
  }

  /** @param model its id, or the source of one that is in no catalog */
  async #confirmRemoval(model: string): Promise<void> {
    const words = this.#words;
    const removed = this.#stored.filter(({ models, source }) => models.includes(model) || source === model);
    const bytes = removed.reduce((sum, each) => sum + each.bytes, 0);
    const isAgreed = await ask(this.#root, {
      part: 'confirm',
      title: fill(words.confirmTitle, { model }),
      lines: [fill(words.confirmText, { size: formatBytes(bytes, languageOf(this)) })],
      agree: words.confirmAgree,
      decline: words.confirmDecline,
    });
    if (isAgreed) await this.remove(model);
  }

  /** A model that is in no catalog yet: the app stores its catalog. */
  async #add(entry: ModelEntry): Promise<void> {
    const event = new CustomEvent('add', { bubbles: true, cancelable: true, detail: { entry } });
    const { shownStore: store } = this.link;
    if (!this.dispatchEvent(event) || !store?.add) return;
    try {
      await store.add(entry);
      await this.#estimate(entry.id);
      await this.#offer(entry.id, (agreed) => this.download(agreed));
    } catch (thrown) {
      this.#failures.set(entry.id, { action: 'load', thrown });
    }
    this.#render();
  }

  #render(): void {
    if (!this.isConnected) return;
    const focused = this.#root.activeElement?.closest<HTMLElement>('[data-model]')?.dataset['model'];
    keepFocus(this.#root, () => this.#renderAll());
    if (this.#root.activeElement) this.#leftAt = undefined;
    else this.#leftAt ??= focused;
    const row = this.#leftAt === undefined ? undefined : this.#rows.get(this.#leftAt);
    if (row && document.activeElement === document.body) row.focus();
  }

  #renderAll(): void {
    const words = this.#words;
    const { state } = this.link;
    assign(this.#list, { 'aria-label': words.label });
    this.#renderStart(words);
    const facts = state.state === 'ready' ? this.#collectFacts(state.inference) : [];
    const isEmpty = state.state === 'ready' && facts.length === 0;
    const notice = { none: words.nothing, starting: words.starting, failed: '', ready: isEmpty ? words.empty : '' };
    assign(this.#notice, { text: notice[state.state], hidden: notice[state.state] === '' });
    assign(this.#list, { hidden: facts.length === 0 });
    this.#renderRows(facts);
    this.#renderKept();
    this.#announce(facts);
  }

  /** A service that could not start, and how to try again. */
  #renderStart(words: typeof DEFAULT_TEXTS): void {
    const { state } = this.link;
    if (state.state !== 'failed') {
      this.#failure.replaceChildren();
      assign(this.#failure, { hidden: true });
      return;
    }
    assign(this.#failureText, { text: fill(words.startFailed, { reason: state.error?.message ?? '' }) });
    assign(this.#startAgain, { text: words.startAgain });
    assign(this.#failure, { hidden: false });
    if (!this.#startAgain.isConnected) this.#failure.replaceChildren(this.#failureText, this.#startAgain);
  }

  #collectFacts(inference: ElementInference): ModelFacts[] {
    const task = this.getAttribute('task');
    const downloads = downloadsOf(inference);
    const listed = inference.status().filter((model) => task === null || model.task === task);
    const facts = listed.map((status): ModelFacts => {
      const failed = this.#failures.get(status.id)?.thrown ?? downloads.failures.get(status.id);
      if (!this.#asked.has(status.id)) void this.#estimate(status.id);
      return {
        id: status.id,
        status,
        estimate: this.#estimates.get(status.id),
        stored: storedOf(this.#stored, status.id),
        isOwnDownload: downloads.running.has(status.id),
        failure: failed === undefined ? undefined : failureOf(failed),
        removable: this.#stored.filter(({ models }) => !models.includes(status.id)),
        canManage: inference.download !== undefined && this.#keepsFiles,
      };
    });
    const known = new Set(inference.status().map(({ id }) => id));
    const others = this.#recommended.filter(({ entry }) => !known.has(entry.id));
    return [
      ...facts,
      ...others.map(({ entry, bytes, license }): ModelFacts => {
        const failed = this.#failures.get(entry.id)?.thrown;
        const estimate = {
          model: entry.id,
          bytes,
          missingBytes: bytes,
          license,
          reasons: [],
          verdict: 'fits' as const,
        };
        return {
          id: entry.id,
          estimate,
          stored: [],
          isOwnDownload: false,
          isRecommended: true,
          failure: failed === undefined ? undefined : failureOf(failed),
          removable: this.#stored,
          canManage: true,
        };
      }),
    ];
  }

  #renderRows(facts: readonly ModelFacts[]): void {
    for (const [id, row] of this.#rows) {
      if (facts.some((each) => each.id === id)) continue;
      row.element.remove();
      this.#rows.delete(id);
    }
    const style = {
      texts: this.#words,
      language: languageOf(this),
      isDisabled: this.#isDisabled,
      chosen: this.#value,
    };
    facts.forEach((each, place) => {
      const row = this.#rows.get(each.id) ?? new ModelRow(each.id, (action, model) => void this.#act(action, model));
      this.#rows.set(each.id, row);
      // Moving what has the focus would lose it.
      if (this.#list.children[place] !== row.element)
        this.#list.insertBefore(row.element, this.#list.children[place] ?? null);
      row.render(each, style);
    });
  }

  /** Files of models that are in the catalog no more. */
  #renderKept(): void {
    const words = this.#words;
    const kept = this.#stored.filter(({ models }) => models.length === 0);
    assign(this.#keptTitle, { text: words.keptTitle, hidden: kept.length === 0 });
    for (const element of [...this.#kept.children] as HTMLElement[])
      if (!kept.some(({ source }) => source === element.dataset['source'])) element.remove();
    for (const { source, bytes } of kept) {
      const size = formatBytes(bytes, languageOf(this));
      let element = [...this.#kept.children].find((each) => (each as HTMLElement).dataset['source'] === source);
      if (!element) {
        const remove = make('button', { part: 'button', type: 'button', 'data-action': 'remove' });
        remove.addEventListener('click', () => void this.#confirmRemoval(source));
        const facts = make('p', { part: 'facts' }, make('span', { part: 'size' }));
        const error = make('p', { part: 'error', role: 'alert', hidden: true });
        element = make(
          'div',
          { part: 'kept', 'data-source': source },
          make('p', { text: source }),
          facts,
          error,
          remove,
        );
        this.#kept.append(element);
      }
      assign(element.querySelector<HTMLElement>('[part=size]')!, { text: size });
      const failed = this.#failures.get(source)?.thrown;
      const text = failed === undefined ? '' : fill(words.otherFailure, { reason: failureOf(failed).message });
      assign(element.querySelector<HTMLElement>('[part=error]')!, { text, hidden: text === '' });
      const remove = element.querySelector('button')!;
      assign(remove, { text: words.remove, 'aria-label': `${words.remove} ${source}`, disabled: this.#isDisabled });
    }
  }

  /** Progress politely and seldom, what has come at once. */
  #announce(facts: readonly ModelFacts[]): void {
    const now = performance.now();
    const coming = facts.find(({ id }) => this.#rows.get(id)?.state === 'downloading');
    const share = coming && this.#rows.get(coming.id)?.share;
    const isDue = now - this.#announcedAt >= ANNOUNCE_MS;
    if (coming && share !== undefined && isDue) {
      const percent = new Intl.NumberFormat(languageOf(this), { style: 'percent' }).format(share);
      this.#announcedAt = now;
      assign(this.#status, { text: fill(this.#words.announceProgress, { model: coming.id, percent }) });
    }
    for (const { id } of facts) {
      const row = this.#rows.get(id);
      if (row?.takeArrival()) assign(this.#status, { text: fill(this.#words.announceStored, { model: id }) });
    }
  }
}

function storedOf(stored: readonly StoredModel[], model: string): StoredModel[] {
  return stored.filter(({ models }) => models.includes(model));
}
