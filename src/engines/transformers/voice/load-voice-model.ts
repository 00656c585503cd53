/** Loads a synthesiser: transformers.js's ONNX sessions, with our own noise, sentences and pace. @module */
import { ownEntry } from '../../../core/json/own-entry.js';
import { AutoConfig, type PreTrainedTokenizer } from '@huggingface/transformers';
import { InferenceError, throwIfCancelled } from '../../../core/errors/inference-error.js';
import type { LoadedModel, LoadOptions } from '../../../core/models/backend.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import { createVoiceModel } from '../../../sound/voice/create-voice-model.js';
import { isEnglish, spokenEnglish } from '../../../sound/voice/spoken-english.js';
import { speakableText } from '../../../sound/voice/split-sentences.js';
import { splitSentences } from '../../../sound/voice/split-sentences.js';
import type { Delivery, VoiceEngine } from '../../../sound/voice/voice-engine.js';
import { deviceLoss } from '../ort/device-loss.js';
import { loadFromSource } from '../repository/load-from-source.js';
import { loadTokenizer } from '../repository/pretrained-tokenizer.js';
import type { VoiceGraphs } from './voice-graphs.js';
import { type Pronounce, VITS, VOICE_KINDS } from './voice-kinds.js';

/** Tokens of a sentence, where a model says no limit: sentences are cut long before. */
const CONTEXT_LENGTH = 4096;

/** Seconds of a sentence in which there is nothing to speak. */
const PAUSE_SECONDS = 0.3;

/**
 * Loads a synthesiser (task `text-to-speech`); only `speak` is there.
 * @throws InferenceError `model_not_supported` for synthesisers of another kind; else see {@link loadFromSource}
 */
export async function loadVoiceModel(entry: ModelEntry, options: LoadOptions): Promise<LoadedModel> {
  return loadFromSource(entry, options, async ({ id }) => {
    const { model_type: type = '' } = (await AutoConfig.from_pretrained(id)) as { model_type?: string };
    const kind = ownEntry(VOICE_KINDS, type) ?? VITS;
    kind.check?.(entry);
    return {
      open: (source) => kind.open(source),
      read: async (source) => {
        const reading = [loadTokenizer(source.id), kind.read(source, { entry, options })] as const;
        const [tokenizer, files] = await Promise.all(reading);
        return { tokenizer, files };
      },
      assemble: (source, model, { tokenizer, files }) => {
        const { graphs, pronounce, warning } = kind.assemble(model, files);
        if (warning !== undefined) source.warn(warning);
        const reader = new Reader(tokenizer, pronounce);
        return createVoiceModel(voiceEngine(graphs, reader), {
          info: { ...source.info, contextLength: reader.contextLength },
          lost: deviceLoss(source.info.device),
          unload: async () => void (await model.dispose()),
        });
      },
    };
  });
}

/** From text to tokens. */
class Reader {
  /** Tokens of a sentence at most. */
  readonly contextLength: number;
  readonly #tokenizer: PreTrainedTokenizer;
  readonly #pronounce: Pronounce | undefined;
  readonly #readsEnglish: boolean;

  constructor(tokenizer: PreTrainedTokenizer, pronounce: Pronounce | undefined) {
    this.#tokenizer = tokenizer;
    this.#pronounce = pronounce;
    const { language } = tokenizer.config as { language?: unknown };
    // Models that do not say their language are English, or made for several.
    this.#readsEnglish = typeof language !== 'string' || language.startsWith('en');
    this.contextLength = Math.min(CONTEXT_LENGTH, tokenizer.model_max_length);
  }

  /**
   * The tokens of each piece that is spoken at a time: words may be far longer than the digits they are written for. None
   * where nothing is left to speak.
   */
  async read(text: string, { english, voice }: Pick<Delivery, 'english' | 'voice'>): Promise<number[][]> {
    const spoken = speakableText(english && this.#readsEnglish ? spokenEnglish(text) : text);
    const pieces: number[][] = [];
    for (const piece of splitSentences(spoken)) {
      const phonemes = this.#pronounce ? await this.#pronounce(piece, voice) : piece.trim();
      const ids = phonemes === '' ? [] : this.#tokenizer.encode(phonemes);
      if (ids.length > 0) pieces.push(ids);
    }
    return pieces;
  }
}

function voiceEngine(graphs: VoiceGraphs, reader: Reader): VoiceEngine {
  return {
    sampleRate: graphs.sampleRate,
    voices: graphs.voices,
    async countTokens(text, voice) {
      return (await reader.read(text, { english: isEnglish(text), voice })).flat().length;
    },
    async speak(sentence, delivery, signal) {
      throwIfCancelled(signal);
      const spoken: Float32Array[] = [];
      for (const ids of await reader.read(sentence, delivery)) {
        if (ids.length > reader.contextLength) {
          const message = `A sentence has ${ids.length} tokens; this model accepts at most ${reader.contextLength}.`;
          throw new InferenceError('invalid_request', message, { param: 'input' });
        }
        spoken.push(await graphs.speak(ids, { ...delivery, seed: delivery.seed + spoken.length }, signal));
      }
      if (spoken.length === 1) return spoken[0]!;
      if (spoken.length === 0)
        return new Float32Array(Math.round((PAUSE_SECONDS * graphs.sampleRate) / delivery.speed));
      const whole = new Float32Array(spoken.reduce((sum, { length }) => sum + length, 0));
      let at = 0;
      for (const samples of spoken) {
        whole.set(samples, at);
        at += samples.length;
      }
      return whole;
    },
  };
}
