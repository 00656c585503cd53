/** The kinds of synthesisers: how their sessions open, and which files make their voices. @module */
import {
  type PreTrainedModel,
  SpeechT5ForTextToSpeech,
  SpeechT5HifiGan,
  StyleTextToSpeech2Model,
  SupertonicForConditionalGeneration,
  VitsModel,
} from '@huggingface/transformers';
import type { LoadOptions } from '../../../../core/models/backend.js';
import type { ModelEntry } from '../../../../core/models/model-entry.js';
import type { ModelSource } from '../model-source.js';
import { VOCODER } from '../repository-files.js';
import type { OnnxSession } from '../text/onnx-session.js';
import { kokoroPhonemes, loadPhonemizer } from './phonemizer.js';
import { SpeechT5Graphs } from './speecht5.js';
import { espeakLanguage, StyleTtsGraph } from './style-tts.js';
import { SupertonicGraphs, type SupertonicConfig } from './supertonic.js';
import { VitsGraph } from './vits.js';
import { cannotSpeak, type VoiceGraphs } from './voice-graphs.js';
import { readVoices } from './voice-styles.js';

/** What the tokenizer reads instead of a piece of text. */
export type Pronounce = (text: string, voice: string) => Promise<string>;

/** A synthesiser that is ready. */
interface ReadyVoice {
  graphs: VoiceGraphs;
  /** Absent: it reads letters. */
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
    warning: 'its graph makes its own random noise: `seed` has no effect, and equal requests may sound different.',
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

const SPEECHT5 = voiceKind({
  async open({ id, pretrained }): Promise<PreTrainedModel> {
    const model = await SpeechT5ForTextToSpeech.from_pretrained(id, pretrained);
    // The vocoder is a model of its own, whose graph the app has put beside the others; it ends with the model.
    const vocoder = await SpeechT5HifiGan.from_pretrained(id, { ...pretrained, model_file_name: VOCODER });
    sessionsOf(model)[VOCODER] = sessionsOf(vocoder)['model']!;
    return model;
  },
  async read(source, { entry }) {
    const reading = [readVoices(source, 'speecht5', entry), source.readJson('preprocessor_config.json')] as const;
    const [styles, preprocessor] = await Promise.all(reading);
    const { sampling_rate: sampleRate = 16_000 } = (preprocessor ?? {}) as { sampling_rate?: number };
    return { styles, sampleRate };
  },
  assemble: (model, files) => ({ graphs: new SpeechT5Graphs(sessionsOf(model), model.config as object, files) }),
});

/** Hz of Kokoro and Kitten, whose configs do not say it. */
const STYLE_TTS_RATE = 24_000;

const STYLE_TTS = voiceKind({
  check({ phonemizer }) {
    if (phonemizer !== undefined) return;
    throw cannotSpeak('it reads phonemes, so its entry must name a module that makes them in `phonemizer`');
  },
  open: ({ id, pretrained }): Promise<PreTrainedModel> => StyleTextToSpeech2Model.from_pretrained(id, pretrained),
  async read(source, { entry, options }) {
    const phonemize = await loadPhonemizer(entry.phonemizer!, options.pageURL);
    return { styles: await readVoices(source, 'style_text_to_speech_2', entry), phonemize };
  },
  assemble: (model, { styles, phonemize }) => {
    const { sampling_rate: rate = STYLE_TTS_RATE } = model.config as unknown as { sampling_rate?: number };
    return {
      graphs: new StyleTtsGraph(sessionsOf(model)['model']!, rate, styles),
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
  speecht5: SPEECHT5,
  style_text_to_speech_2: STYLE_TTS,
};
