/** Loads a recogniser of speech (task `speech-to-text`), each kind in its own way. @module */
import { ownEntry } from '../../../core/json/own-entry.js';
import {
  AutoConfig,
  type PreTrainedModel,
  type PreTrainedTokenizer,
  WhisperForConditionalGeneration,
} from '@huggingface/transformers';
import type { LoadedModel, LoadOptions } from '../../../core/models/backend.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import { loadFromSource, type ModelKind } from '../repository/load-from-source.js';
import { CTC_KINDS } from './ctc-kinds.js';
import { openEncoderDecoder } from './encoder-decoder.js';
import { createLogMel } from './log-mel.js';
import { createSpeechModel, type RecogniserKind } from './recogniser.js';
import { COHERE_ASR, MOONSHINE, readSpeechFiles } from './sequence-kinds.js';
import { type SpeechEngine, transcribeAudio } from './transcribe-audio.js';
import { readWhisperConfig } from './whisper-config.js';

/** By `model_type`; `model-classes.ts` refuses others before. Models without a type are Whisper's, the first kind. */
const KINDS: Readonly<Record<string, RecogniserKind>> = {
  ...CTC_KINDS,
  moonshine: MOONSHINE,
  cohere_asr: COHERE_ASR,
};

/**
 * Loads a recogniser; only `transcribe` is there.
 * @throws InferenceError `model_not_supported` for models of another kind; else see {@link loadFromSource}
 */
export async function loadSpeechModel(entry: ModelEntry, options: LoadOptions): Promise<LoadedModel> {
  return loadFromSource(entry, options, async ({ id }) => {
    const { model_type: type = '' } = (await AutoConfig.from_pretrained(id)) as { model_type?: string };
    return ownEntry(KINDS, type) ?? WHISPER;
  });
}

/** Whisper models: transformers.js's ONNX sessions, with our own features, windows and decoding. */
interface WhisperFiles {
  tokenizer: PreTrainedTokenizer;
  preprocessor: Record<string, unknown>;
}

const WHISPER: ModelKind<WhisperFiles, LoadedModel> = {
  open: ({ id, pretrained }) => WhisperForConditionalGeneration.from_pretrained(id, pretrained),
  read: async (source) => {
    const { tokenizer, extractor } = await readSpeechFiles(source);
    return { tokenizer, preprocessor: extractor.config };
  },
  assemble: (source, model, files) => {
    const engine = createEngine(model, files);
    return createSpeechModel(source, model, {
      sampleRate: engine.facts.sampleRate,
      contextLength: engine.facts.maxTokens,
      translates: engine.facts.multilingual !== undefined,
      timesWords: engine.sessions.shows(engine.facts.alignmentHeads),
      transcribe: (samples, request, signal) => transcribeAudio(engine, samples, request, signal),
    });
  },
};

function createEngine(model: PreTrainedModel, { tokenizer, preprocessor }: WhisperFiles): SpeechEngine {
  const config = model.config as unknown as Record<string, unknown>;
  const { generation_config: generation } = model as unknown as { generation_config: Record<string, unknown> };
  const vocabulary = tokenizer.get_vocab();
  const tokenId = (token: string) => vocabulary.get(token);
  const facts = readWhisperConfig({ config, generation, preprocessor, tokenId });
  return { facts, sessions: openEncoderDecoder(model), logMel: createLogMel(facts.mel), tokenizer };
}
