/** Repositories of recognisers with random weights, in the structure of published exports. */
import { BOOL, FLOAT, INT64, OnnxFile } from '../../../../support/onnx-file.js';
import { RandomGraph } from '../../../../vision/random-graph.js';

type Files = Record<string, unknown>;

const WIDTH = 16;
const LAYERS = 2;
const PIECES = Array.from({ length: 40 }, (_, id) => `${id % 3 === 0 ? '\u2581' : ''}${id.toString(36)}x`);

const bytesOf = (graph: OnnxFile): Buffer => Buffer.concat(graph.toMessage());

/** A tokenizer that only decodes: `\u2581` is a space. */
function pieceTokenizer(special: readonly string[], decoder: object): Files {
  const vocabulary = [...special, ...PIECES];
  return {
    'tokenizer.json': {
      version: '1.0',
      added_tokens: special.map((content, id) => ({ id, content, special: true, normalized: false })),
      normalizer: null,
      pre_tokenizer: null,
      post_processor: null,
      decoder,
      model: {
        type: 'WordLevel',
        vocab: Object.fromEntries(vocabulary.map((piece, id) => [piece, id])),
        unk_token: special[0],
      },
    },
    'tokenizer_config.json': {
      tokenizer_class: 'PreTrainedTokenizerFast',
      unk_token: special[0],
      clean_up_tokenization_spaces: false,
    },
  };
}

const SENTENCE_PIECE = {
  type: 'Sequence',
  decoders: [
    { type: 'Replace', pattern: { String: '\u2581' }, content: ' ' },
    { type: 'Fuse' },
    { type: 'Strip', content: ' ', start: 1, stop: 0 },
  ],
};

/** Moonshine reads the waveform. */
export function madeMoonshine(): Files {
  const encoder = new RandomGraph(11);
  encoder.input('input_values', FLOAT, ['batch_size', 'num_samples']);
  const kernel = encoder.weights('kernel', [WIDTH, 1, 640], 0.2);
  const columns = encoder.op('Conv', [encoder.op('Unsqueeze', ['input_values', encoder.ints(1)]), kernel], {
    kernel_shape: [640],
    strides: [640],
  });
  encoder.node('Tanh', [encoder.op('Transpose', [columns], { perm: [0, 2, 1] })], 'last_hidden_state');
  encoder.output('last_hidden_state', FLOAT, ['batch_size', 'frames', WIDTH]);
  const special = ['<unk>', '<s>', '</s>'];
  return {
    'config.json': {
      model_type: 'moonshine',
      architectures: ['MoonshineForConditionalGeneration'],
      is_encoder_decoder: true,
      hidden_size: WIDTH,
      decoder_num_hidden_layers: LAYERS,
      decoder_num_key_value_heads: 1,
      encoder_num_hidden_layers: 1,
      encoder_num_key_value_heads: 1,
      max_position_embeddings: 194,
      decoder_start_token_id: 1,
      bos_token_id: 1,
      eos_token_id: 2,
    },
    'generation_config.json': { decoder_start_token_id: 1, bos_token_id: 1, eos_token_id: 2, max_length: 194 },
    'preprocessor_config.json': {
      feature_extractor_type: 'Wav2Vec2FeatureExtractor',
      processor_class: 'MoonshineProcessor',
      sampling_rate: 16_000,
      do_normalize: false,
    },
    ...pieceTokenizer(special, SENTENCE_PIECE),
    'onnx/encoder_model.onnx': bytesOf(encoder),
    'onnx/decoder_model_merged.onnx': bytesOf(madeDecoder(special.length + PIECES.length, { branches: true, seed: 7 })),
  };
}

/** Sizes of a Whisper model that its users know. */
interface WhisperShape {
  /** Bands of the spectrogram: 80, of the largest models 128. */
  bands: number;
  /** It knows languages; others write English. */
  multilingual: boolean;
}

/** Whisper with two layers in its decoder, as large-v3-turbo and the distilled models have, and windows of 2 s. */
export function madeWhisper({ bands, multilingual }: WhisperShape): Files {
  const encoder = new RandomGraph(31);
  encoder.input('input_features', FLOAT, ['batch_size', bands, 200]);
  const kernel = encoder.weights('kernel', [WIDTH, bands, 2], 0.3);
  const columns = encoder.op('Conv', ['input_features', kernel], { kernel_shape: [2], strides: [2] });
  encoder.node('Tanh', [encoder.op('Transpose', [columns], { perm: [0, 2, 1] })], 'last_hidden_state');
  encoder.output('last_hidden_state', FLOAT, ['batch_size', 100, WIDTH]);
  const spoken = multilingual ? ['<|en|>', '<|de|>'] : [];
  const control = ['<|endoftext|>', '<|startoftranscript|>', ...spoken, '<|translate|>', '<|transcribe|>'];
  const more = ['<|startofprev|>', '<|nospeech|>', '<|notimestamps|>'];
  const times = Array.from({ length: 101 }, (_, step) => `<|${(step * 0.02).toFixed(2)}|>`);
  const special = [...control, ...more, ...times];
  const vocabulary = [...PIECES.map((piece) => piece.replace('\u2581', '\u0120')), ...special];
  const id = (token: string): number => vocabulary.indexOf(token);
  const end = PIECES.length;
  return {
    'config.json': {
      model_type: 'whisper',
      architectures: ['WhisperForConditionalGeneration'],
      is_encoder_decoder: true,
      d_model: WIDTH,
      encoder_layers: 4,
      decoder_layers: LAYERS,
      encoder_attention_heads: 1,
      decoder_attention_heads: 1,
      num_mel_bins: bands,
      max_source_positions: 100,
      max_target_positions: 24,
      decoder_start_token_id: id('<|startoftranscript|>'),
      eos_token_id: end,
    },
    'generation_config.json': {
      decoder_start_token_id: id('<|startoftranscript|>'),
      eos_token_id: end,
      max_length: 24,
      is_multilingual: multilingual,
      no_timestamps_token_id: id('<|notimestamps|>'),
      begin_suppress_tokens: [0, end],
      suppress_tokens: [3, 7],
      ...(multilingual && {
        lang_to_id: { '<|en|>': id('<|en|>'), '<|de|>': id('<|de|>') },
        task_to_id: { translate: id('<|translate|>'), transcribe: id('<|transcribe|>') },
      }),
    },
    'preprocessor_config.json': {
      feature_extractor_type: 'WhisperFeatureExtractor',
      processor_class: 'WhisperProcessor',
      feature_size: bands,
      sampling_rate: 16_000,
      n_fft: 400,
      hop_length: 160,
      chunk_length: 2,
      n_samples: 32_000,
      nb_max_frames: 200,
    },
    ...pieceTokenizer([], { type: 'ByteLevel' }),
    'tokenizer.json': {
      version: '1.0',
      added_tokens: special.map((content) => ({ id: id(content), content, special: true, normalized: false })),
      normalizer: null,
      pre_tokenizer: null,
      post_processor: null,
      decoder: { type: 'ByteLevel' },
      model: { type: 'BPE', vocab: Object.fromEntries(vocabulary.map((piece, at) => [piece, at])), merges: [] },
    },
    'tokenizer_config.json': {
      tokenizer_class: 'WhisperTokenizer',
      eos_token: '<|endoftext|>',
      clean_up_tokenization_spaces: false,
    },
    'onnx/encoder_model.onnx': bytesOf(encoder),
    'onnx/decoder_model_merged.onnx': bytesOf(
      madeDecoder(vocabulary.length, { branches: true, seed: 5, said: end + 1 }),
    ),
  };
}

const MELS = 8;

/** Cohere ASR reads a spectrogram, and its decoder is told a mask and how many logits to give. */
export function madeCohere(): Files {
  const encoder = new RandomGraph(23);
  encoder.input('input_features', FLOAT, ['batch_size', 'frames', MELS]);
  encoder.node('Tanh', [encoder.product('input_features', 'wide', [MELS, WIDTH])], 'last_hidden_state');
  encoder.output('last_hidden_state', FLOAT, ['batch_size', 'frames', WIDTH]);
  const begin = '\u2581 <|startofcontext|> <|startoftranscript|> <|emo:undefined|> <|en|> <|fr|> <|pnc|> <|noitn|>';
  const special = ['<unk>', '<|endoftext|>', ...begin.split(' '), '<|notimestamp|>', '<|nodiarize|>'];
  const preprocessor = {
    feature_extractor_type: 'CohereAsrFeatureExtractor',
    processor_class: 'CohereAsrProcessor',
    sampling_rate: 16_000,
    feature_size: MELS,
    n_fft: 512,
    win_length: 400,
    hop_length: 160,
    preemphasis: 0.97,
    dither: 1e-5,
    max_audio_clip_s: 35,
  };
  return {
    'config.json': {
      model_type: 'cohere_asr',
      architectures: ['CohereAsrForConditionalGeneration'],
      is_encoder_decoder: true,
      hidden_size: WIDTH,
      num_hidden_layers: LAYERS,
      num_key_value_heads: 1,
      head_dim: WIDTH,
      encoder_config: { num_hidden_layers: 1, num_attention_heads: 1, hidden_size: WIDTH },
      max_position_embeddings: 64,
      eos_token_id: 1,
    },
    'generation_config.json': { eos_token_id: 1, max_length: 64 },
    'preprocessor_config.json': preprocessor,
    'processor_config.json': { processor_class: 'CohereAsrProcessor', feature_extractor: preprocessor },
    ...pieceTokenizer(special, SENTENCE_PIECE),
    'onnx/encoder_model.onnx': bytesOf(encoder),
    'onnx/decoder_model_merged.onnx': bytesOf(
      madeDecoder(special.length + PIECES.length, { branches: false, seed: 19 }),
    ),
  };
}

/**
 * Two layers of attention to the tokens before and to the sound. The keys and values of the sound come out with the first
 * tokens only, later as nothing.
 * @param branches it is told whether there is a cache, and then does not read the encoder's states
 * @param said tokens from this one on are never likely; the others then are chosen surely
 */
function madeDecoder(
  vocabulary: number,
  { branches, seed, said }: { branches: boolean; seed: number; said?: number },
): RandomGraph {
  const graph = new RandomGraph(seed);
  graph.input('input_ids', INT64, ['batch_size', 'sequence_length']);
  graph.input('encoder_hidden_states', FLOAT, ['batch_size', 'encoder_sequence_length', WIDTH]);
  if (branches) graph.input('use_cache_branch', BOOL, [1]);
  else {
    graph.input('attention_mask', INT64, ['batch_size', 'total_sequence_length']);
    graph.input('num_logits_to_keep', INT64, []);
  }
  const table = graph.weights('embedding', [vocabulary, WIDTH], 1);
  const cached = graph.op('Gather', [graph.op('Shape', ['past_key_values.0.decoder.key']), graph.index(2)], {
    axis: 0,
  });
  const ones = graph.op('Add', [graph.op('Mul', ['input_ids', graph.index(0)]), graph.index(1)]);
  const place = graph.op('Sub', [
    graph.op('Add', [graph.op('CumSum', [ones, graph.index(1)]), cached]),
    graph.index(1),
  ]);
  const places = graph.op('Gather', [graph.weights('places', [256, WIDTH], 4), place], { axis: 0 });
  let hidden = graph.op('Add', [graph.op('Gather', [table, 'input_ids'], { axis: 0 }), places]);
  for (let layer = 0; layer < LAYERS; layer++) {
    const past = `past_key_values.${layer}`;
    for (const [of, names] of [
      ['decoder', 'past_sequence_length'],
      ['encoder', 'encoder_past'],
    ] as const)
      for (const part of ['key', 'value']) graph.input(`${past}.${of}.${part}`, FLOAT, ['batch_size', 1, names, WIDTH]);
    hidden = attention(graph, {
      hidden,
      layer,
      of: 'decoder',
      keys: (part) => {
        const added = head(graph, graph.product(hidden, `self.${layer}.${part}`, [WIDTH, WIDTH], 1.5));
        const all = graph.op('Concat', [`${past}.decoder.${part}`, added], { axis: 2 });
        return { used: all, present: all };
      },
    });
    hidden = attention(graph, {
      hidden,
      layer,
      of: 'encoder',
      keys: (part) => {
        const made = head(graph, graph.product('encoder_hidden_states', `cross.${layer}.${part}`, [WIDTH, WIDTH], 1.5));
        const kept = `${past}.encoder.${part}`;
        const hasCache = branches ? 'use_cache_branch' : isNotEmpty(graph, kept);
        const nothing = graph.constant('nothing', new Float32Array(0), [0, 1, 1, WIDTH]);
        return { used: choice(graph, hasCache, kept, made), present: choice(graph, hasCache, nothing, made) };
      },
    });
  }
  let scores = graph.product(hidden, 'head', [WIDTH, vocabulary], said === undefined ? 3 : 12);
  if (said !== undefined) {
    const bias = Float32Array.from({ length: vocabulary }, (_, id) => (id < said ? 0 : -1000));
    scores = graph.op('Add', [scores, graph.constant('bias', bias)]);
  }
  if (branches) graph.node('Identity', [scores], 'logits');
  else {
    // A mask of ones changes nothing, another one would.
    const mean = graph.op('ReduceMean', [graph.op('Cast', ['attention_mask'], { to: FLOAT })], { keepdims: 0 });
    graph.node('Mul', [scores, mean], 'logits');
    graph.node('Identity', ['num_logits_to_keep'], 'kept_logits');
    graph.output('kept_logits', INT64, []);
  }
  graph.output('logits', FLOAT, ['batch_size', 'sequence_length', vocabulary]);
  return graph;
}

interface Attention {
  hidden: string;
  layer: number;
  of: 'decoder' | 'encoder';
  keys(part: 'key' | 'value'): { used: string; present: string };
}

function attention(graph: RandomGraph, { hidden, layer, of, keys }: Attention): string {
  const [key, value] = (['key', 'value'] as const).map((part) => {
    const { used, present } = keys(part);
    const name = `present.${layer}.${of}.${part}`;
    graph.node('Identity', [present], name);
    graph.output(name, FLOAT, ['batch_size', 1, `${of}_length`, WIDTH]);
    return used;
  });
  const query = head(graph, graph.product(hidden, `${of}.${layer}.query`, [WIDTH, WIDTH], 2));
  const likeness = graph.op('MatMul', [query, graph.op('Transpose', [key!], { perm: [0, 1, 3, 2] })]);
  const weights = graph.op('Softmax', [graph.op('Div', [likeness, graph.number(4)])], { axis: 3 });
  const seen = graph.op('Squeeze', [graph.op('MatMul', [weights, value!]), graph.ints(1)]);
  return graph.op('Tanh', [graph.op('Add', [hidden, seen])]);
}

/** `[batch, tokens, width]` as of one head. */
function head(graph: RandomGraph, input: string): string {
  return graph.op('Unsqueeze', [input, graph.ints(1)]);
}

function isNotEmpty(graph: RandomGraph, input: string): string {
  return graph.op('Greater', [
    graph.op('Gather', [graph.op('Shape', [input]), graph.index(2)], { axis: 0 }),
    graph.index(0),
  ]);
}

let branchCount = 0;

/** One of two values, which may differ in shape. */
function choice(graph: RandomGraph, condition: string, yes: string, no: string): string {
  const branch = (value: string): OnnxFile => {
    const file = new OnnxFile();
    branchCount += 1;
    file.node('Identity', [value], `branch.${branchCount}`);
    file.output(`branch.${branchCount}`, FLOAT, ['rows', 1, 'tokens', 'width']);
    return file;
  };
  return graph.op('If', [condition], { then_branch: { graph: branch(yes) }, else_branch: { graph: branch(no) } });
}

/** What a model of CTC reads. */
type CtcInput = 'waveform' | 'spectrogram' | 'parakeet';

const CTC = { type: 'CTC', pad_token: '<pad>', word_delimiter_token: '|', cleanup: true };

/** One graph: the tokens of frames follow the loudest of a few filters. */
export function madeCtc(type: string, architecture: string, input: CtcInput): Files {
  const letters = Array.from('abcdefghij');
  const vocabulary = input === 'parakeet' ? PIECES.slice(0, 12) : ['<s>', '</s>', '<unk>', '|', ...letters];
  const size = vocabulary.length + 1;
  const graph = new RandomGraph(5);
  let frames: string;
  if (input === 'waveform') {
    graph.input('input_values', FLOAT, ['batch_size', 'samples']);
    const kernel = graph.weights('kernel', [size, 1, 400], 0.3);
    const sound = graph.op('Unsqueeze', ['input_values', graph.ints(1)]);
    frames = graph.op('Conv', [sound, kernel], { kernel_shape: [400], strides: [320] });
  } else {
    const [bands, stride] = input === 'parakeet' ? [MELS, 8] : [2 * MELS, 1];
    graph.input('input_features', FLOAT, ['batch_size', 'frames', bands]);
    graph.input('attention_mask', INT64, ['batch_size', 'frames']);
    const mask = graph.op('Unsqueeze', [graph.op('Cast', ['attention_mask'], { to: FLOAT }), graph.ints(2)]);
    const columns = graph.op('Transpose', [graph.op('Mul', ['input_features', mask])], { perm: [0, 2, 1] });
    const kernel = graph.weights('kernel', [size, bands, stride], 0.3);
    const padding = { pads: [0, stride - 1], kernel_shape: [stride], strides: [stride] };
    frames = graph.op('Conv', [columns, kernel], padding);
  }
  graph.node('Transpose', [frames], 'logits', { perm: [0, 2, 1] });
  graph.output('logits', FLOAT, ['batch_size', 'frames', size]);
  const words = ['<pad>', ...vocabulary];
  const tokenizer = pieceTokenizer([], CTC);
  const sequence = {
    type: 'Sequence',
    decoders: [CTC, { type: 'Metaspace', replacement: '\u2581', prepend_scheme: 'always' }],
  };
  const json = tokenizer['tokenizer.json'] as object;
  return {
    'config.json': { model_type: type, architectures: [architecture], pad_token_id: 0, ...CTC_CONFIGS[input] },
    'preprocessor_config.json': CTC_PREPROCESSORS[input],
    'tokenizer.json': {
      ...json,
      added_tokens: words.flatMap((content, id) =>
        /^<(s|\/s|unk)>$/.test(content) ? [{ id, content, special: true, normalized: false }] : [],
      ),
      decoder: input === 'parakeet' ? sequence : CTC,
      model: { type: 'WordLevel', vocab: Object.fromEntries(words.map((word, id) => [word, id])), unk_token: '<pad>' },
    },
    'tokenizer_config.json': {
      tokenizer_class: 'PreTrainedTokenizerFast',
      pad_token: '<pad>',
      clean_up_tokenization_spaces: false,
    },
    'onnx/model.onnx': bytesOf(graph),
  };
}

const CTC_CONFIGS: Record<CtcInput, object> = {
  waveform: { conv_stride: [5, 2, 2, 2, 2, 2, 2] },
  spectrogram: { add_adapter: false },
  parakeet: { encoder_config: { subsampling_factor: 8 } },
};

const CTC_PREPROCESSORS: Record<CtcInput, object> = {
  waveform: {
    feature_extractor_type: 'Wav2Vec2FeatureExtractor',
    processor_class: 'Wav2Vec2Processor',
    sampling_rate: 16_000,
    do_normalize: true,
  },
  spectrogram: {
    feature_extractor_type: 'SeamlessM4TFeatureExtractor',
    processor_class: 'Wav2Vec2Processor',
    sampling_rate: 16_000,
    num_mel_bins: MELS,
    stride: 2,
    padding_value: 0,
  },
  parakeet: {
    feature_extractor_type: 'ParakeetFeatureExtractor',
    processor_class: 'Wav2Vec2Processor',
    sampling_rate: 16_000,
    feature_size: MELS,
    n_fft: 512,
    win_length: 400,
    hop_length: 160,
    preemphasis: 0.97,
  },
};
