/**
 * The browser's own model: `LanguageModel`, which only windows have. A model of several billion parameters that came with
 * the browser, or that the browser downloads once for all pages.
 * @module
 */
import { cancelled } from '../../../core/errors/inference-error.js';
import type { Backend, LoadOptions, ModelInfo } from '../../../core/models/backend.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import { pause } from '../../../core/platform/pause.js';
import { orAborted } from '../../../core/platform/reject-on-abort.js';
import { loadError, noModel } from './browser-error.js';
import { FORMATS, type InputModalities } from './browser-prompt.js';
import { type AnsweringModel, countPrompt, generateAnswer } from './generate-answer.js';
import {
  type Availability,
  canMeasure,
  contextWindowOf,
  type Expectations,
  isNative,
  type LanguageModelFactory,
  type LanguageModelSession,
  measure,
} from './language-model.js';
import { SessionPool } from './session-pool.js';

/** Tokens, where the browser tells no limit. */
const ASSUMED_CONTEXT_LENGTH = 4096;

/** Milliseconds in which a browser that wants a gesture first has said so. */
const REFUSAL = 100;

const WARNING =
  "The browser's own model chooses tokens in its own way: `temperature`, `top_p`, `top_k`, `min_p`, `repetition_penalty`, `presence_penalty` and `frequency_penalty` are ignored.";

const SCRIPT_WARNING =
  "`LanguageModel` is not the browser's: a script put it there before Inpage was imported. If it asks this service for this model, the model waits for itself.";

/**
 * @param find the interface, when it is needed
 * @param over ends loads and sessions, whatever becomes of who uses them
 */
export function createBrowserBackend(find: () => LanguageModelFactory | undefined, over: AbortSignal): Backend {
  const load: Backend['load'] = async (entry, options) => {
    const signal = AbortSignal.any([options.signal, over]);
    try {
      const factory = find();
      if (!factory) throw noModel('This browser has no model of its own that pages can use (`LanguageModel`).');
      const { expected, senses, availability } = await askWhatItTakes(factory, entry, signal);
      if (availability === 'unavailable') throw noModel("The browser's own model cannot run on this device.");
      const first = await createFirst(factory, expected, { ...options, entry, availability, signal });
      return await loadedModel({ factory, expected, senses, entry }, first, over);
    } catch (thrown) {
      if (signal.aborted) throw cancelled(thrown);
      throw loadError(thrown);
    }
  };
  return {
    load,
    // The browser keeps what it downloads.
    fetchFiles: async (entry, options) => (await load(entry, options)).unload(),
  };
}

interface Taken {
  expected: Expectations;
  senses: InputModalities;
  availability: Availability;
}

/** Images and sound are expected where they need nothing that text does not need. */
async function askWhatItTakes(
  factory: LanguageModelFactory,
  { languages }: ModelEntry,
  signal: AbortSignal,
): Promise<Taken> {
  const text = { type: 'text' as const, ...(languages && { languages }) };
  const expecting = (...types: ('image' | 'audio')[]): Expectations => ({
    expectedInputs: [text, ...types.map((type) => ({ type }))],
    expectedOutputs: [text],
  });
  const ask = (expected: Expectations): Promise<Availability> => orAborted(factory.availability(expected), signal);
  const availability = await ask(expecting());
  const takes = async (type: 'image' | 'audio'): Promise<boolean> =>
    availability !== 'unavailable' && (await ask(expecting(type)).catch(() => 'unavailable')) === availability;
  const senses: InputModalities = { image: await takes('image'), audio: await takes('audio') };
  const types = (['image', 'audio'] as const).filter((type) => senses[type]);
  return { expected: expecting(...types), senses, availability };
}

interface FirstOptions extends Pick<LoadOptions, 'onProgress'> {
  entry: ModelEntry;
  availability: Availability;
  signal: AbortSignal;
}

/** Makes the first session, for which the browser downloads its model where it has to. */
async function createFirst(
  factory: LanguageModelFactory,
  expected: Expectations,
  { entry, availability, signal, onProgress }: FirstOptions,
): Promise<LanguageModelSession> {
  const isThere = availability === 'available';
  const report = (loaded = 0, total = 1): void => {
    // Early versions tell bytes, later ones a share of 1.
    const totalBytes = total > 0 ? total : 1;
    const stage = isThere || loaded >= totalBytes ? 'initialize' : 'download';
    onProgress({ model: entry.id, loadedBytes: loaded, totalBytes, stage });
  };
  const monitor = (target: EventTarget): void =>
    target.addEventListener('downloadprogress', (event) => {
      const { loaded, total } = event as ProgressEvent;
      report(loaded, total);
    });
  const created = factory.create({ ...expected, signal, ...(!isThere && { monitor }) });
  const settled = new AbortController();
  // Whoever waits learns that there is a download, also where the browser tells nothing before its end.
  void pause(REFUSAL, AbortSignal.any([signal, settled.signal])).then(() => {
    if (!settled.signal.aborted && !signal.aborted) report();
  });
  try {
    return await orAborted(created, signal);
  } catch (thrown) {
    created.then((session) => session.destroy()).catch(() => {});
    throw thrown;
  } finally {
    settled.abort();
  }
}

interface Loaded extends Omit<Taken, 'availability'> {
  factory: LanguageModelFactory;
  entry: ModelEntry;
}

async function loadedModel(
  { factory, expected, senses, entry }: Loaded,
  first: LanguageModelSession,
  over: AbortSignal,
): ReturnType<Backend['load']> {
  if (!canMeasure(first)) {
    first.destroy();
    throw noModel("The browser's own model is too old: it does not count tokens.");
  }
  const own = contextWindowOf(first) ?? ASSUMED_CONTEXT_LENGTH;
  const contextLength = Math.min(entry.contextLength ?? own, own);
  const emptyTurn = await orAborted(measure(first, [{ role: 'user', content: '' }], { signal: over }), over);
  const pool = new SessionPool();
  pool.release(await pool.open([], async () => first));
  over.addEventListener('abort', () => pool.close());
  const { maxCompletionTokens } = entry;
  const model: AnsweringModel = { factory, expected, senses, contextLength, maxCompletionTokens, emptyTurn, pool };
  const info: ModelInfo = {
    contextLength,
    device: 'none',
    threads: 1,
    warning: isNative(factory) ? WARNING : `${SCRIPT_WARNING} ${WARNING}`,
    ...FORMATS,
    images: senses.image,
    audio: senses.audio,
  };
  return {
    info,
    lost: new Promise(() => {}),
    generate: (request, signal) => generateAnswer(model, request, signal),
    countTokens: (request, signal) => countPrompt(model, request, signal),
    unload: async () => pool.close(),
  };
}
