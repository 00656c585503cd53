/** Loads a synthesiser: transformers.js's ONNX sessions, with our own noise, sentences and pace. @module */
import {
  AutoTokenizer,
  type PreTrainedModel,
  SupertonicForConditionalGeneration,
  VitsModel,
} from '@huggingface/transformers';
import { InferenceError, throwIfCancelled } from '../../../../core/errors/inference-error.js';
import type { LoadedModel, LoadOptions } from '../../../../core/models/backend.js';
import type { ModelEntry } from '../../../../core/models/model-entry.js';
import { createVoiceModel } from '../../../voice/create-voice-model.js';
import { isEnglish, spokenEnglish } from '../../../voice/spoken-english.js';
import { speakableText } from '../../../voice/speakable-text.js';
import type { VoiceEngine } from '../../../voice/voice-engine.js';
import { deviceLoss } from '../device-loss.js';
import { loadFromSource } from '../load-from-source.js';
import { readVoices, SupertonicGraphs, type SupertonicConfig } from './supertonic.js';
import { VitsGraph } from './vits.js';
import type { VoiceGraphs } from './voice-graphs.js';
import type { OnnxSession } from '../text/onnx-session.js';

/** Tokens of a sentence: models say no limit, and sentences are cut long before. */
const CONTEXT_LENGTH = 4096;

/** Seconds of a sentence in which there is nothing to speak. */
const PAUSE = 0.3;

/**
 * Loads a VITS or Supertonic model (task `text-to-speech`); only `speak` is there.
 * @throws InferenceError `model_not_supported` for synthesisers of another kind; else see {@link loadFromSource}
 */
export async function loadVoiceModel(entry: ModelEntry, options: LoadOptions): Promise<LoadedModel> {
  return loadFromSource(entry, options, {
    open: ({ id, pretrained, graphs }): Promise<PreTrainedModel> =>
      (graphs.length > 1 ? SupertonicForConditionalGeneration : VitsModel).from_pretrained(id, pretrained),
    read: async ({ id, graphs, readBytes }) => {
      const styles = graphs.length > 1 ? await readVoices(readBytes) : [];
      const tokenizer = await AutoTokenizer.from_pretrained(id);
      return { tokenizer, styles };
    },
    assemble: (source, model, { tokenizer, styles }) => {
      const sessions = model.sessions as unknown as Record<string, OnnxSession>;
      const config = model.config as unknown as SupertonicConfig;
      const graphs: VoiceGraphs =
        source.graphs.length > 1
          ? new SupertonicGraphs(sessions, config, styles)
          : new VitsGraph(sessions['model']!, config.sampling_rate);
      if (graphs instanceof VitsGraph) {
        source.warn(
          'its graph draws its noise itself, so `seed` changes nothing and equal requests may sound different.',
        );
      }
      const { language } = tokenizer.config as { language?: unknown };
      const tokens = (text: string, english: boolean): number[] => {
        // Models that do not say their language are English, or made for several.
        const isRead = english && (typeof language !== 'string' || language.startsWith('en'));
        const spoken = speakableText(isRead ? spokenEnglish(text) : text);
        return spoken === '' ? [] : tokenizer.encode(spoken);
      };
      return createVoiceModel(voiceEngine(graphs, tokens), {
        info: { ...source.info, contextLength: CONTEXT_LENGTH },
        lost: deviceLoss(source.info.device),
        unload: async () => void (await model.dispose()),
      });
    },
  });
}

/** @param tokens of a text; none where nothing is left to speak */
function voiceEngine(graphs: VoiceGraphs, tokens: (text: string, english: boolean) => number[]): VoiceEngine {
  return {
    sampleRate: graphs.sampleRate,
    voices: graphs.voices,
    countTokens: (text) => tokens(text, isEnglish(text)).length,
    async speak(sentence, delivery, signal) {
      throwIfCancelled(signal);
      const ids = tokens(sentence, delivery.english);
      if (ids.length === 0) return new Float32Array(Math.round((PAUSE * graphs.sampleRate) / delivery.speed));
      if (ids.length > CONTEXT_LENGTH) {
        const message = `A sentence has ${ids.length} tokens; this model reads at most ${CONTEXT_LENGTH}.`;
        throw new InferenceError('invalid_request', message, { param: 'input' });
      }
      return graphs.speak(ids, delivery, signal);
    },
  };
}
