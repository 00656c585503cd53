/** The kinds of synthesisers: how their sessions open, and which files make their voices. @module */
import {
  type PreTrainedModel,
  StyleTextToSpeech2Model,
  SupertonicForConditionalGeneration,
  VitsModel,
} from '@huggingface/transformers';
import { throwIfCancelled } from '../../../core/errors/inference-error.js';
import type { LoadOptions } from '../../../core/models/backend.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import type { Voice } from '../../../core/request/speech-request.js';
import { stretchTime } from '../../../sound/voice/stretch-time.js';
import type { Delivery } from '../../../sound/voice/voice-engine.js';
import type { ModelSource } from '../repository/model-source.js';
import { createTensor, type OnnxSession, toFloat32 } from '../ort/onnx-session.js';
import { kokoroPhonemes, loadPhonemizer } from './phonemizer.js';
import { type SupertonicConfig, SupertonicGraphs } from './supertonic.js';
import { cannotSpeak, checkedRate, type VoiceGraphs } from './voice-graphs.js';
import { selectStyles, readVoices, type VoiceStyle } from './voice-styles.js';

/** What the tokenizer reads instead of a piece of text. */
export type Pronounce = (text: string, voice: string) => Promise<string>;

/** A synthesiser that is ready. */
interface ReadyVoice {
  graphs: VoiceGraphs;
  /** Undefined: it reads letters. */
  pronounce?: Pronounce;
  /** For the app; begins small, with its point. */
  warning?: string;
}

/** How synthesisers of one kind load. */
export interface VoiceKind<Files = unknown> {
  /** Before any file is fetched. @throws InferenceError `model_not_supported` for an entry that lacks something */
  check?(entry: ModelEntry): void;
  open(source: ModelSource): Promise<PreTrainedModel>;
  /** What they need beside graphs and tokenizer. */
  read(source: ModelSource, from: { entry: ModelEntry; options: LoadOptions }): Promise<Files>;
  assemble(model: PreTrainedModel, files: Files): ReadyVoice;
}

/** So that each kind says once what its files are. */
function voiceKind<Files>(kind: VoiceKind<Files>): VoiceKind {
  return kind;
}

function sessionsOf(model: PreTrainedModel): Record<string, OnnxSession> {
  return model.sessions;
}

export const VITS = voiceKind({
  open: ({ id, pretrained }): Promise<PreTrainedModel> => VitsModel.from_pretrained(id, pretrained),
  read: async () => undefined,
  assemble: (model) => ({
    graphs: new VitsGraph(sessionsOf(model)['model']!, (model.config as unknown as SupertonicConfig).sampling_rate),
    warning: 'it generates its own noise, so `seed` has no effect and identical requests may sound different.',
  }),
});

const SUPERTONIC = voiceKind({
  open: ({ id, pretrained }): Promise<PreTrainedModel> =>
    SupertonicForConditionalGeneration.from_pretrained(id, pretrained),
  read: (source, { entry }) => readVoices(source, 'supertonic', entry),
  assemble: (model, styles) => ({
    graphs: new SupertonicGraphs(sessionsOf(model), model.config as unknown as SupertonicConfig, styles),
  }),
});

/** Hz of Kokoro and Kitten, whose configs do not say it. */
const STYLE_TTS_RATE = 24_000;

const STYLE_TTS = voiceKind({
  check({ phonemizer }) {
    if (phonemizer !== undefined) return;
    throw cannotSpeak('it takes phonemes as input. Set `phonemizer` in its entry to a module that produces them');
  },
  open: ({ id, pretrained }): Promise<PreTrainedModel> => StyleTextToSpeech2Model.from_pretrained(id, pretrained),
  async read(source, { entry, options }) {
    const phonemize = await loadPhonemizer(entry.phonemizer!, options.pageURL);
    return { styles: await readVoices(source, 'style_text_to_speech_2', entry), phonemize };
  },
  assemble: (model, { styles, phonemize }) => {
    const { sampling_rate: rate = STYLE_TTS_RATE } = model.config as unknown as { sampling_rate?: unknown };
    return {
      graphs: new StyleTtsGraph(sessionsOf(model)['model']!, checkedRate(rate), styles),
      async pronounce(text, voice) {
        const language = espeakLanguage(voice);
        return kokoroPhonemes(await phonemize(text, language), language);
      },
    };
  },
});

/** By `model_type`. */
export const VOICE_KINDS: Readonly<Record<string, VoiceKind>> = {
  vits: VITS,
  supertonic: SUPERTONIC,
  style_text_to_speech_2: STYLE_TTS,
};

/** VITS models, such as those of MMS: one graph from tokens to samples. */
const INPUTS = new Set(['input_ids', 'attention_mask']);

class VitsGraph implements VoiceGraphs {
  readonly sampleRate: number;
  readonly voices: readonly Voice[] = [{ id: 'default', name: 'default', language: null }];
  readonly #session: OnnxSession;

  /** @throws InferenceError `model_not_supported` for a graph that asks for more than a text, such as a speaker */
  constructor(session: OnnxSession, sampleRate: unknown) {
    const other = session.inputNames.find((name) => !INPUTS.has(name));
    if (other !== undefined)
      throw cannotSpeak(`its graph needs \`${other}\`, and only models with a single speaker are supported`);
    if (sampleRate === undefined) throw cannotSpeak('its config does not state its `sampling_rate`');
    this.#session = session;
    this.sampleRate = checkedRate(sampleRate);
  }

  async speak(ids: readonly number[], { speed }: Delivery): Promise<Float32Array> {
    const dims = [1, ids.length];
    const input_ids = createTensor('int64', BigInt64Array.from(ids, BigInt), dims);
    const attention_mask = createTensor('int64', new BigInt64Array(ids.length).fill(1n), dims);
    const isMasked = this.#session.inputNames.includes('attention_mask');
    const results = await this.#session.run({ input_ids, ...(isMasked && { attention_mask }) });
    try {
      const samples = toFloat32(await results['waveform']!.getData()).slice();
      // The graph does not accept a speed.
      return stretchTime(samples, speed, this.sampleRate);
    } finally {
      for (const tensor of Object.values(results)) tensor.dispose();
    }
  }
}

/** Numbers of a style, where the graph does not say it. */
const WIDTH = 256;

/** Tokens that begin and end a sentence: a voice has a style for each length between them. */
const FRAME = 2;

class StyleTtsGraph implements VoiceGraphs {
  readonly sampleRate: number;
  readonly voices: readonly Voice[];
  readonly #session: OnnxSession;
  readonly #width: number;
  readonly #styles: ReadonlyMap<string, Float32Array>;

  /** @throws InferenceError `model_not_supported` without voices that fit */
  constructor(session: OnnxSession, sampleRate: number, styles: readonly VoiceStyle[]) {
    const width = session.inputMetadata.find(({ name }) => name === 'style')?.shape.at(-1);
    this.#width = typeof width === 'number' ? width : WIDTH;
    const fitting = selectStyles(styles, this.#width);
    this.sampleRate = sampleRate;
    this.voices = fitting.map(({ voice }) => ({ ...voice, language: languageOf(voice.id)?.tag ?? null }));
    this.#session = session;
    this.#styles = new Map(fitting.map(({ voice, style }) => [voice.id, style]));
  }

  async speak(ids: readonly number[], { voice, speed }: Delivery, signal: AbortSignal): Promise<Float32Array> {
    const styles = this.#styles.get(voice)!;
    const row = Math.min(Math.max(ids.length - FRAME, 0), styles.length / this.#width - 1);
    const results = await this.#session.run({
      input_ids: createTensor('int64', BigInt64Array.from(ids, BigInt), [1, ids.length]),
      style: createTensor('float32', styles.slice(row * this.#width, (row + 1) * this.#width), [1, this.#width]),
      speed: createTensor('float32', Float32Array.of(speed), [1]),
    });
    try {
      throwIfCancelled(signal);
      return toFloat32(await results['waveform']!.getData()).slice();
    } finally {
      for (const tensor of Object.values(results)) tensor.dispose();
    }
  }
}

/** A language, as BCP 47 and as espeak name it. */
interface SpokenLanguage {
  tag: string;
  espeak: string;
}

/** By the first letter of Kokoro's names of voices; the second one is the sex. */
const LANGUAGES: Readonly<Record<string, SpokenLanguage>> = {
  a: { tag: 'en-US', espeak: 'en-us' },
  b: { tag: 'en-GB', espeak: 'en' },
  e: { tag: 'es', espeak: 'es' },
  f: { tag: 'fr', espeak: 'fr-fr' },
  h: { tag: 'hi', espeak: 'hi' },
  i: { tag: 'it', espeak: 'it' },
  j: { tag: 'ja', espeak: 'ja' },
  p: { tag: 'pt-BR', espeak: 'pt-br' },
  z: { tag: 'zh', espeak: 'cmn' },
};

function languageOf(voice: string): SpokenLanguage | undefined {
  return /^[a-z][fm]_/.test(voice) ? LANGUAGES[voice[0]!] : undefined;
}

/** The language in which a voice reads, in espeak's words; voices that do not say it are American. */
function espeakLanguage(voice: string): string {
  return (languageOf(voice) ?? LANGUAGES['a']!).espeak;
}
