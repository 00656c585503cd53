/** Models of CTC: wav2vec 2.0 and its relatives, and Parakeet; what their files say. @module */
import { AutoModelForCTC, type PreTrainedModel, type PreTrainedTokenizer } from '@huggingface/transformers';
import { notSupported } from '../repository/not-supported.js';
import type { CTC_TYPES } from '../repository/repository-files.js';
import type { OnnxSession } from '../ort/onnx-session.js';
import { createCtcRecogniser } from './ctc-recogniser.js';
import type { CtcVocabulary } from './ctc-words.js';
import { createSpeechModel, type RecogniserKind } from './recogniser.js';
import { firstNumber, readSpeechFiles, sampleRateOf, type SpeechFiles, toFeeds } from './sequence-kinds.js';

type Fields = Readonly<Record<string, unknown>>;

/** Convolutions over the waveform make the frames. */
const WAVEFORM = ctcKind((config) => {
  const strides = (config['conv_stride'] as number[] | undefined) ?? [5, 2, 2, 2, 2, 2, 2];
  return strides.reduce((product, stride) => product * stride, 1);
});

/** Two columns of a spectrogram are one frame, which an adapter may thin out. */
const SPECTROGRAM = ctcKind((config, preprocessor) => {
  const adapted = config['add_adapter'] === true;
  const [stride, layers] = [firstNumber(config['adapter_stride'], 2), firstNumber(config['num_adapter_layers'], 1)];
  return 160 * firstNumber(preprocessor['stride'], 2) * (adapted ? stride ** layers : 1);
});

/** The columns of a spectrogram, thinned out by the encoder. */
const PARAKEET = ctcKind((config, preprocessor) => {
  const encoder = (config['encoder_config'] ?? {}) as Fields;
  return firstNumber(preprocessor['hop_length'], 160) * firstNumber(encoder['subsampling_factor'], 8);
});

/** By `model_type`. */
export const CTC_KINDS: Readonly<Record<(typeof CTC_TYPES)[number], RecogniserKind>> = {
  hubert: WAVEFORM,
  unispeech: WAVEFORM,
  'unispeech-sat': WAVEFORM,
  wav2vec2: WAVEFORM,
  wavlm: WAVEFORM,
  'wav2vec2-bert': SPECTROGRAM,
  parakeet_ctc: PARAKEET,
};

/** @param frameSamples samples from one frame to the next */
function ctcKind(frameSamples: (config: Fields, preprocessor: Fields) => number): RecogniserKind {
  return {
    open: ({ id, pretrained }): Promise<PreTrainedModel> => AutoModelForCTC.from_pretrained(id, pretrained),
    read: readSpeechFiles,
    assemble: (source, model, { tokenizer, extractor }: SpeechFiles) => {
      const config = model.config as unknown as Fields;
      const session = model.sessions['model'] as unknown as OnnxSession;
      // The same encoders are published with heads that sort sounds, and with none.
      const [architecture] = [config['architectures']].flat();
      if (typeof architecture === 'string' && !architecture.endsWith('ForCTC')) {
        throw notSupported(`\`${architecture}\` does not generate text. Use one that ends in \`ForCTC\``);
      }
      const recogniser = createCtcRecogniser(
        {
          sampleRate: sampleRateOf(extractor.config),
          frameSamples: frameSamples(config, extractor.config),
          vocabulary: vocabularyOf(tokenizer, config),
          features: async (samples) => toFeeds(await extractor(samples)),
        },
        session,
      );
      return createSpeechModel(source, model, recogniser);
    },
  };
}

function vocabularyOf(tokenizer: PreTrainedTokenizer, config: Fields): CtcVocabulary {
  const ids = tokenizer.get_vocab();
  const texts = new Map([...ids].map(([text, id]) => [id, text]));
  const special = new Set(tokenizer.all_special_ids);
  const { word_delimiter_token: delimiter = '|' } = tokenizer.config as { word_delimiter_token?: string };
  return {
    blank: firstNumber(tokenizer.pad_token_id, config['pad_token_id'], 0),
    delimiter: ids.get(delimiter),
    textOf: (token) => (special.has(token) ? '' : (texts.get(token) ?? '').replaceAll('\u2581', ' ')),
  };
}
