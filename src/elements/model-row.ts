/** One model in `<inpage-models>`: what is known of it, and its buttons. @module */
import type { ModelEstimate } from '../core/models/model-estimate.js';
import type { ModelStatus } from '../core/models/model-status.js';
import type { LoadProgress } from '../core/models/load-progress.js';
import type { StoredModel } from '../core/models/stored-model.js';
import { assign, fill, formatBytes, formatDuration, make } from './dom.js';
import type { failureOf } from './service-link.js';
import type { DEFAULT_TEXTS } from './texts.js';

/** What a button does. */
export type ModelAction = 'download' | 'pause' | 'resume' | 'cancel' | 'load' | 'unload' | 'remove' | 'retry';

/** What a model is like now. */
export type ModelState = 'absent' | 'downloading' | 'paused' | 'stored' | 'loading' | 'loaded' | 'failed';

/** All that is known of a model. */
export interface ModelFacts {
  id: string;
  /** Absent: it is in no catalog yet. */
  status?: ModelStatus;
  estimate: ModelEstimate | undefined;
  stored: readonly StoredModel[];
  /** An element of this page has begun its download, and can end it. */
  isOwnDownload: boolean;
  isRecommended?: boolean;
  failure: ReturnType<typeof failureOf> | undefined;
  /** Other models whose files could be removed to make room. */
  removable: readonly StoredModel[];
  /** Files can be downloaded and removed: the service does it, and the browser keeps them. */
  canManage: boolean;
}

/** How it is shown. */
interface RowStyle {
  texts: typeof DEFAULT_TEXTS;
  language: string | undefined;
  isDisabled: boolean;
  /** Value of the group. */
  chosen: string;
}

let count = 0;

/** See the module. */
export class ModelRow {
  readonly element: HTMLElement;
  /** As it was rendered last. */
  state: ModelState | undefined;
  /** Of its bytes, while it comes in and their sum is known. */
  share: number | undefined;
  readonly #id: string;
  readonly #onAction: (action: ModelAction, model: string) => void;
  readonly #reasonsId = `inpage-model-${(count += 1)}`;
  readonly #radio = make('input', { type: 'radio', name: 'model' });
  readonly #mark = make('span', { part: 'mark' });
  readonly #size = make('span', { part: 'size' });
  readonly #license = make('span', { part: 'license' });
  readonly #verdict = make('span', { part: 'verdict' });
  readonly #stateText = make('span', { part: 'state' });
  readonly #reasons = make('p', { part: 'reasons', id: this.#reasonsId });
  readonly #progress = make('progress', { part: 'progress', role: 'progressbar', max: '1' });
  readonly #progressText = make('p', { part: 'detail' });
  readonly #error = make('p', { part: 'error', role: 'alert' });
  readonly #buttons = make('div', { part: 'buttons' });
  #hasArrived = false;
  /** The most that was told of each file, because a report is about one of them. */
  readonly #files = new Map<string, { loaded: number; total: number }>();

  constructor(id: string, onAction: (action: ModelAction, model: string) => void) {
    this.#id = id;
    this.#onAction = onAction;
    this.#radio.value = id;
    this.element = make(
      'div',
      { part: 'model', 'data-model': id },
      make('label', {}, this.#radio, make('span', { part: 'name', text: id }), this.#mark),
      make('p', { part: 'facts' }, this.#size, this.#license, this.#verdict, this.#stateText),
      this.#reasons,
      this.#progress,
      this.#progressText,
      this.#error,
      this.#buttons,
    );
  }

  render(facts: ModelFacts, style: RowStyle): void {
    const state = stateOf(facts);
    if (state === 'stored' && this.state === 'downloading') this.#hasArrived = true;
    this.state = state;
    const verdict = facts.estimate?.verdict ?? 'unknown';
    assign(this.element, { 'data-state': state, 'data-verdict': verdict });
    const isChosen = style.chosen === this.#id;
    if (this.#radio.checked !== isChosen) this.#radio.checked = isChosen;
    this.#radio.disabled = style.isDisabled;
    this.#renderFacts(facts, style);
    this.#renderProgress(facts, style);
    assign(this.#error, {
      text: failureText(facts, style),
      hidden: !(state === 'failed' && failureText(facts, style)),
    });
    this.#renderButtons(actionsOf(facts, state), style, verdict === 'no' ? (GETS[state] ?? []) : []);
  }

  /** On its first button, or on the model. */
  focus(): void {
    (this.#buttons.querySelector<HTMLButtonElement>('button:enabled') ?? this.#radio).focus();
  }

  /** Whether its download has ended since this was asked last. */
  takeArrival(): boolean {
    const hasArrived = this.#hasArrived;
    this.#hasArrived = false;
    return hasArrived;
  }

  #renderFacts({ estimate, status, stored, isRecommended }: ModelFacts, { texts, language }: RowStyle): void {
    const show = (element: HTMLElement, text: string): void => assign(element, { text, hidden: text === '' });
    show(this.#mark, isRecommended ? texts.recommended : '');
    const bytes = estimate?.bytes;
    const size = bytes === 0 ? texts.noDownload : bytes == null ? texts.unknownSize : formatBytes(bytes, language);
    const kept = fileBytesOf(stored);
    const loaded = formatBytes(kept, language);
    // Of a part that is kept, how much it is.
    const isPart = kept > 0 && stored.some(({ complete }) => !complete) && this.state !== 'downloading';
    show(this.#size, isPart ? (bytes == null ? loaded : fill(texts.progress, { loaded, total: size })) : size);
    show(this.#license, estimate?.license === undefined ? '' : fill(texts.license, { license: estimate.license }));
    show(this.#verdict, texts[estimate?.verdict ?? 'unknown']);
    const device = status?.device;
    const runs = device && device !== 'none' ? ` · ${fill(texts.runsOn, { device: DEVICES[device] })}` : '';
    show(this.#stateText, texts[this.state!] + runs);
    const needed = formatBytes(estimate?.missingBytes ?? 0, language);
    const reasons = (estimate?.reasons ?? []).map(({ code, message, cure = '' }) =>
      fill(texts[REASONS[code]] ?? '{message} {cure}', { message, cure, needed, size }).trim(),
    );
    const deviceReason = (status as { deviceReason?: string } | undefined)?.deviceReason;
    if (deviceReason !== undefined) reasons.push(fill(texts.deviceReason, { reason: deviceReason }));
    show(this.#reasons, reasons.join(' '));
  }

  #renderProgress({ status, estimate, stored }: ModelFacts, { texts, language }: RowStyle): void {
    const isComing = this.state === 'downloading' || this.state === 'loading';
    assign(this.#progress, { hidden: !isComing });
    assign(this.#progressText, { hidden: !isComing });
    this.share = undefined;
    if (!isComing) return this.#files.clear();
    const report = status?.progress;
    const { loaded, total } = this.#sum(report, estimate?.bytes, stored);
    this.share = total > 0 ? Math.min(1, loaded / total) : undefined;
    if (this.share === undefined) this.#progress.removeAttribute('value');
    else this.#progress.value = this.share;
    assign(this.#progress, {
      'aria-label': fill(texts.progressLabel, { model: this.#id }),
      'aria-valuemin': '0',
      'aria-valuemax': '100',
      'aria-valuenow': this.share === undefined ? undefined : String(Math.round(this.share * 100)),
    });
    assign(this.#progressText, { text: progressText(report, { loaded, total }, texts, language) });
  }

  /** Bytes of all files so far, and in all. */
  #sum(
    report: LoadProgress | undefined,
    bytes: number | null | undefined,
    stored: readonly StoredModel[],
  ): { loaded: number; total: number } {
    for (const { file, bytes: kept, complete } of stored.flatMap(({ files }) => files)) {
      const name = file.slice(file.lastIndexOf('/') + 1);
      const known = this.#files.get(name);
      this.#files.set(name, {
        loaded: Math.max(kept, known?.loaded ?? 0),
        total: complete ? kept : (known?.total ?? 0),
      });
    }
    if (report?.file !== undefined && report.stage === 'download')
      this.#files.set(report.file, { loaded: report.loadedBytes, total: report.totalBytes });
    const all = [...this.#files.values()];
    const loaded = all.reduce((sum, each) => sum + each.loaded, 0);
    const told = all.reduce((sum, each) => sum + Math.max(each.total, each.loaded), 0);
    return { loaded, total: bytes ?? told };
  }

  #renderButtons(
    actions: readonly ModelAction[],
    { texts, isDisabled }: RowStyle,
    refused: readonly ModelAction[],
  ): void {
    const now = [...this.#buttons.children] as HTMLButtonElement[];
    const focused = (this.element.getRootNode() as ShadowRoot).activeElement;
    const hadFocus = focused !== null && this.#buttons.contains(focused);
    for (const button of now) if (!actions.includes(button.dataset['action'] as ModelAction)) button.remove();
    for (const action of actions) {
      let button = now.find((each) => each.dataset['action'] === action);
      if (!button) {
        button = make('button', { part: 'button', type: 'button', 'data-action': action });
        button.addEventListener('click', () => this.#onAction(action, this.#id));
      }
      const isRefused = refused.includes(action);
      button.disabled = isDisabled || isRefused;
      assign(button, {
        text: texts[action],
        'aria-label': `${texts[action]} ${this.#id}`,
        'aria-describedby': isRefused ? this.#reasonsId : undefined,
      });
      if (this.#buttons.children[actions.indexOf(action)] !== button)
        this.#buttons.insertBefore(button, this.#buttons.children[actions.indexOf(action)] ?? null);
    }
    assign(this.#buttons, { hidden: actions.length === 0 });
    if (!hadFocus || focused.isConnected) return;
    this.focus();
  }
}

const DEVICES = { webgpu: 'WebGPU', wasm: 'WASM' } as const;

/** Actions that fetch. */
const GETS: Readonly<Partial<Record<ModelState, readonly ModelAction[]>>> = {
  absent: ['download', 'load'],
  paused: ['resume'],
};

/** Which of the texts says a reason. */
const REASONS = {
  storage: 'storageReason',
  memory: 'memoryReason',
  webgpu: 'webgpuReason',
  'shader-f16': 'halfFloatsReason',
} as const;

function stateOf({ status, estimate, stored, isOwnDownload, failure }: ModelFacts): ModelState {
  if (status?.state === 'ready' || status?.state === 'busy') return 'loaded';
  const kept = fileBytesOf(stored);
  const isComplete = kept > 0 ? stored.every(({ complete }) => complete) : estimate?.missingBytes === 0;
  if (status?.state === 'loading')
    return status.progress?.stage === 'download' && !isComplete ? 'downloading' : 'loading';
  if (isOwnDownload || status?.progress?.stage === 'download') return 'downloading';
  if (failure !== undefined || status?.state === 'failed') return 'failed';
  if (isComplete) return 'stored';
  return kept > 0 ? 'paused' : 'absent';
}

/** Without prompts that are cached: a model can have those and no files. */
function fileBytesOf(stored: readonly StoredModel[]): number {
  return stored.reduce((sum, { bytes, promptCache }) => sum + bytes - (promptCache?.bytes ?? 0), 0);
}

function actionsOf(
  { stored, isOwnDownload, canManage, status }: ModelFacts,
  state: ModelState,
): readonly ModelAction[] {
  const remove: ModelAction[] = canManage && stored.some(({ bytes }) => bytes > 0) ? ['remove'] : [];
  switch (state) {
    case 'absent':
      // The browser fetches its own model when that is loaded.
      return canManage && status?.backend !== 'built-in' ? ['download'] : ['load'];
    case 'downloading':
      // What the app or another tab has begun is theirs to end; a load ends by `unload`.
      return isOwnDownload ? ['pause', 'cancel'] : status?.state === 'loading' ? ['unload'] : [];
    case 'paused':
      return ['resume', 'cancel'];
    case 'stored':
      return ['load', ...remove];
    case 'loading':
      return ['unload'];
    case 'loaded':
      return ['unload', ...remove];
    case 'failed':
      return ['retry', ...remove];
  }
}

function progressText(
  report: LoadProgress | undefined,
  { loaded, total }: { loaded: number; total: number },
  texts: typeof DEFAULT_TEXTS,
  language: string | undefined,
): string {
  const size = (bytes: number): string => formatBytes(bytes, language);
  const waiting = { network: texts.waitingNetwork, retry: texts.waitingRetry, 'other-tab': texts.waitingOtherTab };
  const parts = [total > 0 ? fill(texts.progress, { loaded: size(loaded), total: size(total) }) : size(loaded)];
  if (report?.bytesPerSecond) parts.push(fill(texts.speed, { speed: size(report.bytesPerSecond) }));
  if (report?.remainingSeconds)
    parts.push(fill(texts.remaining, { time: formatDuration(report.remainingSeconds, language) }));
  if (report?.waiting) parts.push(waiting[report.waiting]);
  return parts.join(' · ');
}

/** What happened, and what to do. */
function failureText({ id, failure, status, removable: others }: ModelFacts, { texts, language }: RowStyle): string {
  const {
    code,
    message = '',
    details,
  } = failure ?? {
    code: status?.error?.code,
    message: status?.error?.message,
    details: status?.error ?? {},
  };
  const { neededBytes, freeBytes, httpStatus, url } = details;
  const removable = details.removable?.length ? details.removable : others;
  if (code === 'insufficient_resources' && neededBytes !== undefined) {
    const sizes = { needed: formatBytes(neededBytes, language), free: formatBytes(freeBytes ?? 0, language) };
    const named = removable.map(({ source, bytes }) => {
      const ids = others.find((each) => each.source === source)?.models ?? [];
      return `${ids.length > 0 ? ids.join(', ') : source} (${formatBytes(bytes, language)})`;
    });
    const models = new Intl.ListFormat(language, { type: 'unit' }).format(named);
    const cure = models === '' ? texts.noRoomNothing : fill(texts.noRoomCure, { models });
    return `${fill(texts.noRoom, { model: id, ...sizes })} ${cure}`;
  }
  const reason = fill(texts.otherFailure, { reason: message });
  if (code === 'insufficient_resources' && /webgpu/i.test(message)) return `${reason} ${texts.noWebGpu}`;
  if (code === 'unavailable' && !navigator.onLine) return `${reason} ${texts.noNetwork}`;
  if (code === 'unavailable' && httpStatus === undefined && url !== undefined) return `${reason} ${texts.notReached}`;
  if (httpStatus === 404 && url !== undefined)
    return `${reason} ${fill(texts.notFound, { host: new URL(url, location.href).host })}`;
  return reason;
}
