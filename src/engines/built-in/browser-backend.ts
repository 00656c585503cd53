/**
 * The browser's built-in model: `LanguageModel`, which only windows have. A model of several billion parameters that came with
 * the browser, or that the browser downloads once for all pages.
 * @module
 */
import { cancelled } from '../../core/errors/inference-error.js';
import type { Backend, ModelInfo } from '../../core/models/backend.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import { orAborted } from '../../core/platform/reject-on-abort.js';
import { loadError, noModel } from './browser-error.js';
import { FORMATS, type InputModalities } from './browser-prompt.js';
import { type AnsweringModel, countPrompt, generateAnswer } from './generate-answer.js';
import { type Availability, type CreateOptions, createSession, warningOf } from './create-session.js';
import {
  canMeasure,
  contextWindowOf,
  type Expectations,
  type LanguageModelFactory,
  type LanguageModelSession,
  measure,
} from './language-model.js';
import { SessionPool } from './session-pool.js';

/** Tokens, where the browser tells no limit. */
const ASSUMED_CONTEXT_LENGTH = 4096;

const FALLBACK = 'Set `fallback` in its entry to the id of another model, which then answers.';

const WARNING =
  "The browser's built-in model chooses tokens in its own way: `temperature`, `top_p`, `top_k`, `min_p`, `repetition_penalty`, `presence_penalty` and `frequency_penalty` are ignored.";

/**
 * @param find the interface, when it is needed
 * @param over ends loads and sessions, whatever becomes of who uses them
 */
export function createBrowserBackend(find: () => LanguageModelFactory | undefined, over: AbortSignal): Backend {
  const load: Backend['load'] = async (entry, options) => {
    const signal = AbortSignal.any([options.signal, over]);
    try {
      const factory = find();
      if (!factory)
        throw noModel(`This browser does not offer a built-in model to pages (\`LanguageModel\`). ${FALLBACK}`);
      const { expected, senses, availability } = await askWhatItTakes(factory, entry, signal);
      if (availability === 'unavailable')
        throw noModel(`The browser's built-in model cannot run on this device. ${FALLBACK}`);
      const create = (settings: CreateOptions): Promise<LanguageModelSession> =>
        factory.create({ ...expected, ...settings });
      const first = await createSession(create, { ...options, entry, availability, signal });
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
    throw noModel("The browser's built-in model is too old: it does not count tokens.");
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
    warning: warningOf('LanguageModel', factory, WARNING),
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
