/** Loads a Whisper model: transformers.js's ONNX sessions, with our own features, windows and decoding. @module */
import {
  AutoFeatureExtractor,
  AutoTokenizer,
  type PreTrainedModel,
  type PreTrainedTokenizer,
  WhisperForConditionalGeneration,
} from '@huggingface/transformers';
import { InferenceError } from '../../../../core/errors/inference-error.js';
import { decodeAudio } from '../../../media/decode-audio.js';
import type { ModelEntry } from '../../../../core/models/model-entry.js';
import type { TranscriptEvent, TranscriptionRequest } from '../../../../core/request/transcription-request.js';
import type { LoadedModel, LoadOptions } from '../../../../core/models/backend.js';
import { deviceLoss } from '../device-loss.js';
import { loadFromSource } from '../load-from-source.js';
import type { ModelSource } from '../model-source.js';
import { createLogMel } from './log-mel.js';
import { readWhisperConfig } from './whisper-config.js';
import { type SpeechEngine, transcribeAudio } from './transcribe-audio.js';
import { type RuntimeSession, WhisperSessions } from './whisper-sessions.js';

/**
 * Loads a Whisper model (task `speech`); only `transcribe` is there.
 * @throws InferenceError `model_not_supported` for speech models of another kind; else see {@link loadFromSource}
 */
export async function loadSpeechModel(entry: ModelEntry, options: LoadOptions): Promise<LoadedModel> {
  return loadFromSource(entry, options, {
    open: ({ id, pretrained }) => WhisperForConditionalGeneration.from_pretrained(id, pretrained),
    read: async ({ id }) => {
      const reading = [AutoTokenizer.from_pretrained(id), AutoFeatureExtractor.from_pretrained(id)] as const;
      const [tokenizer, extractor] = await Promise.all(reading);
      const { config: preprocessor } = extractor as unknown as { config: Record<string, unknown> };
      return { tokenizer, preprocessor };
    },
    assemble: (source, model, texts) => assemble(entry, source, { ...texts, model }),
  });
}

interface LoadedParts {
  tokenizer: PreTrainedTokenizer;
  preprocessor: Record<string, unknown>;
  model: PreTrainedModel;
}

function assemble(entry: ModelEntry, source: ModelSource, parts: LoadedParts): LoadedModel {
  const { tokenizer, preprocessor, model } = parts;
  const config = model.config as unknown as Record<string, unknown>;
  const { generation_config: generation } = model as unknown as { generation_config: Record<string, unknown> };
  const sessions = model.sessions as Record<string, RuntimeSession | undefined>;
  const [encoder, decoder] = [sessions['model'], sessions['decoder_model_merged']];
  if (!encoder || !decoder?.inputNames.includes('use_cache_branch')) {
    throw new InferenceError('model_not_supported', `The model \`${entry.id}\` is no Whisper model.`, {
      param: 'model',
    });
  }
  const vocabulary = tokenizer.get_vocab();
  const tokenId = (token: string) => vocabulary.get(token);
  const facts = readWhisperConfig({ config, generation, preprocessor, tokenId });
  const heads = Number(config['decoder_attention_heads']);
  const width = Number(config['d_model']);
  const shape = { heads, headSize: width / heads, width };
  const engine: SpeechEngine = {
    facts,
    sessions: new WhisperSessions(encoder, decoder, shape),
    logMel: createLogMel(facts.mel),
    tokenizer,
  };
  return {
    info: { ...source.info, contextLength: facts.maxTokens },
    lost: deviceLoss(source.info.device),
    transcribe: (request, signal) => transcribe(engine, request, signal),
    async unload() {
      await model.dispose();
    },
  };
}

async function* transcribe(
  engine: SpeechEngine,
  request: TranscriptionRequest,
  signal: AbortSignal,
): AsyncGenerator<TranscriptEvent, void, undefined> {
  if (request.task === 'translate' && !engine.facts.multilingual) {
    throw new InferenceError('model_not_supported', `The model \`${request.model}\` cannot translate.`, {
      param: 'model',
    });
  }
  if (request.times === 'words' && !engine.sessions.shows(engine.facts.alignmentHeads)) {
    throw new InferenceError(
      'invalid_request',
      `The model \`${request.model}\` does not tell when each word was said.`,
      {
        param: 'timestamp_granularities',
      },
    );
  }
  const samples = await decodeAudio(request.audio.bytes, { sampleRate: engine.facts.sampleRate, signal });
  yield* transcribeAudio(engine, samples, request, signal);
}
