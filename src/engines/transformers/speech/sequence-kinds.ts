/** Moonshine and Cohere ASR: what their files say, and how their decoders begin. @module */
import {
  AutoFeatureExtractor,
  AutoModelForSpeechSeq2Seq,
  type PreTrainedModel,
  type PreTrainedTokenizer,
  type Tensor,
} from '@huggingface/transformers';
import { textOfTokens } from '../../../language/decoding/text-decoder.js';
import { notSupported } from '../repository/not-supported.js';
import { checkPreprocessor } from '../repository/check-preprocessor.js';
import type { ModelSource } from '../repository/model-source.js';
import { loadTokenizer, textTokenizerOf } from '../repository/pretrained-tokenizer.js';
import type { OnnxTensor } from '../ort/onnx-session.js';
import { openEncoderDecoder } from './encoder-decoder.js';
import { createSpeechModel, type RecogniserKind } from './recogniser.js';
import { createSequenceRecogniser, type SequenceModel } from './sequence-recogniser.js';
import type { TextDecoder } from './decode-window.js';

/** What such a model is read from. */
interface SequenceFiles {
  config: Readonly<Record<string, unknown>>;
  /** `generation_config.json`. */
  generation: Readonly<Record<string, unknown>>;
  /** `preprocessor_config.json`. */
  preprocessor: Readonly<Record<string, unknown>>;
  tokenId: (token: string) => number | undefined;
}

/** What the files say. */
type SequenceFacts = Pick<SequenceModel, 'windowSamples' | 'mostTokens' | 'begin'>;

/** Moonshine reads the waveform itself, of up to 30 s here, and says at most 6 tokens a second. */
export const MOONSHINE = sequenceKind(({ config, generation, preprocessor }) => {
  const sampleRate = sampleRateOf(preprocessor);
  const start = firstNumber(generation['decoder_start_token_id'], config['decoder_start_token_id'], 1);
  return {
    windowSamples: 30 * sampleRate,
    mostTokens: (samples) => moonshineTokens(samples / sampleRate),
    begin: (language) => ({ tokens: [start], language }),
  };
});

/** The most that Moonshine writes of a recording; a part of a second counts, too. */
export function moonshineTokens(seconds: number): number {
  return Math.max(6, Math.ceil(6 * seconds));
}

/** What is said of a recording before its transcript, around the language: no feeling, punctuation, no times, one voice. */
const COHERE_BEGIN = ['\u2581', '<|startofcontext|>', '<|startoftranscript|>', '<|emo:undefined|>'];
const COHERE_END = ['<|pnc|>', '<|noitn|>', '<|notimestamp|>', '<|nodiarize|>'];

/** Cohere ASR is told the language; it detects none. */
export const COHERE_ASR = sequenceKind(({ preprocessor, tokenId }) => {
  const seconds = firstNumber(preprocessor['max_audio_clip_s'], 35);
  return {
    windowSamples: Math.round(seconds * sampleRateOf(preprocessor)),
    mostTokens: () => Infinity,
    begin: (asked) => {
      const language = asked !== undefined && tokenId(`<|${asked}|>`) !== undefined ? asked : 'en';
      const named = `<|${language}|>`;
      const tokens = [...COHERE_BEGIN, named, named, ...COHERE_END].map(tokenId);
      if (!tokens.every((token) => token !== undefined)) throw notSupported('its tokenizer lacks tokens of Cohere ASR');
      return { tokens, language };
    },
  };
});

/** What a recogniser has beside its graphs. */
export interface SpeechFiles {
  tokenizer: PreTrainedTokenizer;
  extractor: FeatureExtractor;
}

export async function readSpeechFiles(source: ModelSource): Promise<SpeechFiles> {
  const { id } = source;
  checkPreprocessor(id, await source.readJson('preprocessor_config.json'));
  const reading = [loadTokenizer(id), AutoFeatureExtractor.from_pretrained(id)] as const;
  const [tokenizer, extractor] = await Promise.all(reading);
  return { tokenizer, extractor: extractor as unknown as FeatureExtractor };
}

function sequenceKind(factsOf: (files: SequenceFiles) => SequenceFacts): RecogniserKind {
  return {
    open: ({ id, pretrained }): Promise<PreTrainedModel> => AutoModelForSpeechSeq2Seq.from_pretrained(id, pretrained),
    read: readSpeechFiles,
    assemble: (source, model, { tokenizer, extractor }: SpeechFiles) => {
      const config = model.config as unknown as Record<string, unknown>;
      const { generation_config: generation = {} } = model as unknown as {
        generation_config?: Record<string, unknown> | null;
      };
      const vocabulary = tokenizer.get_vocab();
      const preprocessor = extractor.config;
      const files = {
        config,
        generation: generation ?? {},
        preprocessor,
        tokenId: (token: string) => vocabulary.get(token),
      };
      const ends = [files.generation['eos_token_id'], config['eos_token_id']].flat();
      const recogniser = createSequenceRecogniser(
        {
          sampleRate: sampleRateOf(preprocessor),
          maxTokens: firstNumber(config['max_position_embeddings'], files.generation['max_length'], 448),
          endTokens: new Set(ends.filter((id): id is number => typeof id === 'number')),
          features: async (samples) => toFeeds(await extractor(samples)),
          tokenizer: textOf(tokenizer),
          ...factsOf(files),
        },
        openEncoderDecoder(model),
      );
      return createSpeechModel(source, model, recogniser);
    },
  };
}

/** A feature extractor of transformers.js. */
interface FeatureExtractor {
  (samples: Float32Array): Promise<Record<string, Tensor>>;
  config: Record<string, unknown>;
}

/** Its tensors as ONNX Runtime's. */
export function toFeeds(features: Readonly<Record<string, Tensor>>): Record<string, OnnxTensor> {
  const entries = Object.entries(features);
  return Object.fromEntries(entries.map(([name, { ort_tensor: tensor }]) => [name, tensor as unknown as OnnxTensor]));
}

/** Hz of the sound that a model reads. */
export function sampleRateOf(preprocessor: Readonly<Record<string, unknown>>): number {
  return firstNumber(preprocessor['sampling_rate'], 16_000);
}

/** Token by token, spaces included; special ones are no text. */
function textOf(pretrained: PreTrainedTokenizer): TextDecoder {
  const tokenizer = textTokenizerOf(pretrained, { endTokens: [], chatTemplate: undefined, toolTemplate: undefined });
  const special = new Set(pretrained.all_special_ids);
  return {
    decode: (tokens) =>
      textOfTokens(
        tokens.filter((id) => !special.has(id)),
        tokenizer,
      ),
  };
}

export function firstNumber(...values: readonly unknown[]): number {
  return values.find((value): value is number => typeof value === 'number')!;
}
