/** For each class that sees: its processor, its control tokens, its encoder's inputs, and where an image's vectors stand. */
import type { EncoderInputs } from './made-encoder.js';

/** A text of control tokens, or so many places of the image. */
type Written = string | number;

export interface SeeingForm {
  /** `processor_class` of `preprocessor_config.json`. */
  kind: string;
  /** `preprocessor_config.json` and `processor_config.json`, beside the class. */
  preprocessor: object;
  processor?: object;
  /** Fields of `tokenizer_config.json`. */
  tokenizer?: Readonly<Record<string, string>>;
  /** Control tokens; the first is the place of a vector. */
  tokens: readonly string[];
  /** What the chat template writes for an image. */
  template: string;
  /** Fields of the config that hold the id of a control token. */
  ids?: Readonly<Record<string, string>>;
  /** Fields of `vision_config`. */
  vision?: object;
  encoder: EncoderInputs;
  /** How each picture stands in the prompt. */
  written: readonly (readonly Written[])[];
  /** Rows and columns of the pictures' vectors, for classes whose positions have three numbers. */
  grids?: readonly (readonly [rows: number, columns: number])[];
}

const COLOURS = { do_rescale: true, rescale_factor: 1 / 255, do_resize: true, do_convert_rgb: true, resample: 2 };
const NORMAL = { ...COLOURS, do_normalize: true, image_mean: [0.5, 0.5, 0.5], image_std: [0.5, 0.5, 0.5] };

/** Each of these encoders sees one size. */
const FOUR = [[4], [4]] as const;
const around = (start: string, written: readonly (readonly Written[])[], end: string): Written[][] =>
  written.map((each) => [start, ...each, end]);

/** The pictures have 2 x 3 and 4 x 2 vectors. */
function qwen(kind: string, patch: number, grid: string): SeeingForm {
  return {
    kind,
    preprocessor: {
      ...NORMAL,
      image_processor_type: 'Qwen2VLImageProcessor',
      patch_size: patch,
      merge_size: 2,
      temporal_patch_size: 2,
      size: { shortest_edge: 2 * 28 * 28, longest_edge: 128 * 128 },
    },
    tokens: ['<|image_pad|>', '<|vision_start|>', '<|vision_end|>', '<|video_pad|>'],
    template: '<|vision_start|><|image_pad|><|vision_end|>',
    ids: { vision_start_token_id: '<|vision_start|>', video_token_id: '<|video_pad|>' },
    vision: { spatial_merge_size: 2, patch_size: patch, temporal_patch_size: 2 },
    encoder: { form: 'grid', name: grid, patchSize: 3 * 2 * patch * patch },
    written: around('<|vision_start|>', [[6], [8]], '<|vision_end|>'),
    grids: [
      [2, 3],
      [4, 2],
    ],
  };
}

const GLM: SeeingForm = {
  ...qwen('Glm46VProcessor', 14, 'image_grid_thw'),
  preprocessor: { ...qwen('', 14, '').preprocessor, image_processor_type: 'Glm46VImageProcessor' },
  tokens: ['<|image|>', '<|begin_of_image|>', '<|end_of_image|>'],
  template: '<|begin_of_image|><|image|><|end_of_image|>',
  ids: {},
  written: around('<|begin_of_image|>', [[6], [8]], '<|end_of_image|>'),
};

const GEMMA = {
  boi_token: '<start_of_image>',
  eoi_token: '<end_of_image>',
  image_token: '<image_soft_token>',
  audio_token: '<audio_soft_token>',
  boa_token: '<start_of_audio>',
  eoa_token: '<end_of_audio>',
};

const GEMMA_3: SeeingForm = {
  kind: 'Gemma3Processor',
  preprocessor: { ...NORMAL, image_processor_type: 'Gemma3ImageProcessor', size: { height: 28, width: 28 } },
  processor: { image_seq_length: 4 },
  tokenizer: GEMMA,
  tokens: ['<image_soft_token>', '<start_of_image>', '<end_of_image>'],
  template: '<start_of_image>',
  encoder: { form: 'pixels', patch: 14 },
  written: around('<start_of_image>', FOUR, '<end_of_image>'),
};

/** Two by two tiles and one by two, each of four vectors, and the whole picture after them. */
const TILES: Pick<SeeingForm, 'preprocessor' | 'processor' | 'tokens' | 'template' | 'encoder' | 'written'> = {
  preprocessor: {
    ...NORMAL,
    image_processor_type: 'Idefics3ImageProcessor',
    do_image_splitting: true,
    size: { longest_edge: 64 },
    max_image_size: { longest_edge: 32 },
  },
  processor: { image_seq_len: 4 },
  tokens: [
    '<image>',
    '<fake_token_around_image>',
    '<global-img>',
    '<row_1_col_1>',
    '<row_1_col_2>',
    '<row_2_col_1>',
    '<row_2_col_2>',
  ],
  template: '<image>',
  encoder: { form: 'tiles', perTile: 4, side: 32 },
  written: [
    ['<row_1_col_1>', '<row_1_col_2>', '<row_2_col_1>', '<row_2_col_2>', '<global-img>'],
    ['<row_1_col_1>', '<row_2_col_1>', '<global-img>'],
  ].map((names) => [...names.flatMap((name) => ['<fake_token_around_image>', name, 4]), '<fake_token_around_image>']),
};

/** Rows of vectors that end with a token. @param marks of a place, of a row's end and of the image's */
function rows(...marks: readonly [place: string, rowEnd: string, end: string]): SeeingForm {
  const [place, rowEnd, end] = marks;
  return {
    kind: 'PixtralProcessor',
    preprocessor: {
      ...NORMAL,
      image_processor_type: 'PixtralImageProcessor',
      patch_size: 14,
      spatial_merge_size: 2,
      size: { longest_edge: 1540 },
    },
    processor: {
      image_token: place,
      image_break_token: rowEnd,
      image_end_token: end,
      patch_size: 14,
      spatial_merge_size: 2,
    },
    tokens: marks,
    template: place,
    encoder: { form: 'pixels', patch: 28 },
    written: [
      [3, rowEnd, 3, end],
      [2, rowEnd, 2, rowEnd, 2, rowEnd, 2, end],
    ],
  };
}

const SIGLIP = { ...NORMAL, image_processor_type: 'SiglipImageProcessor', size: { height: 28, width: 28 } };

const LLAVA: SeeingForm = {
  kind: 'LlavaProcessor',
  preprocessor: SIGLIP,
  processor: { image_token: '<image>', patch_size: 14, num_additional_image_tokens: 0 },
  tokens: ['<image>'],
  template: '<image>',
  encoder: { form: 'pixels', patch: 14 },
  written: FOUR,
};

/** By `model_type`. The published processors of others write no prompt: LLaVA-OneVision and Moondream run for text. */
export const SEEING_FORMS: Readonly<Record<string, SeeingForm>> = {
  qwen2_vl: qwen('Qwen2VLProcessor', 14, 'grid_thw'),
  qwen2_5_vl: qwen('Qwen2_5_VLProcessor', 14, 'image_grid_thw'),
  qwen3_vl: qwen('Qwen3VLProcessor', 16, 'image_grid_thw'),
  qwen3_vl_moe: qwen('Qwen3VLProcessor', 16, 'image_grid_thw'),
  qwen3_5: qwen('Qwen3VLProcessor', 16, 'image_grid_thw'),
  qwen3_5_moe: qwen('Qwen3VLProcessor', 16, 'image_grid_thw'),
  glm_ocr: GLM,
  gemma3: GEMMA_3,
  gemma3n: {
    ...GEMMA_3,
    kind: 'Gemma3nProcessor',
    preprocessor: {
      ...COLOURS,
      do_normalize: false,
      image_processor_type: 'SiglipImageProcessor',
      feature_extractor_type: 'Gemma3nAudioFeatureExtractor',
      feature_size: 128,
      fft_length: 1024,
      frame_length: 512,
      min_frequency: 125,
      max_frequency: 7600,
      sampling_rate: 16_000,
      size: { height: 96, width: 96 },
    },
    processor: { image_seq_length: 4, audio_seq_length: 188 },
    template: '<image_soft_token>',
    encoder: { form: 'pixels', patch: 48 },
  },
  gemma4: {
    kind: 'Gemma4Processor',
    preprocessor: { image_processor_type: 'Gemma4ImageProcessor' },
    processor: { image_seq_length: 7, image_processor: { patch_size: 16, pooling_kernel_size: 3, max_soft_tokens: 7 } },
    tokenizer: { boi_token: '<|image>', eoi_token: '<image|>', image_token: '<|image|>', audio_token: '<|audio|>' },
    tokens: ['<|image|>', '<|image>', '<image|>'],
    template: '<|image|>',
    encoder: { form: 'places', pooled: 9, patchSize: 768 },
    written: around('<|image>', [[6], [3]], '<image|>'),
  },
  idefics3: { kind: 'Idefics3Processor', ...TILES },
  smolvlm: {
    kind: 'SmolVLMProcessor',
    ...TILES,
    preprocessor: { ...TILES.preprocessor, image_processor_type: 'SmolVLMImageProcessor' },
  },
  lfm2_vl: {
    kind: 'Lfm2VlProcessor',
    preprocessor: {
      ...NORMAL,
      image_processor_type: 'Lfm2VlImageProcessor',
      do_resize: false,
      do_image_splitting: true,
      downsample_factor: 2,
      encoder_patch_size: 16,
      min_image_tokens: 1,
      max_image_tokens: 5,
      max_pixels_tolerance: 1.2,
      min_tiles: 2,
      max_tiles: 4,
      tile_size: 64,
      use_thumbnail: true,
    },
    tokens: [
      '<image>',
      '<|image_start|>',
      '<|image_end|>',
      '<|img_thumbnail|>',
      '<|img_row_1_col_1|>',
      '<|img_row_2_col_1|>',
    ],
    template: '<image>',
    encoder: { form: 'shapes', patchSize: 768 },
    // The second one is large: two tiles and a thumbnail.
    written: around(
      '<|image_start|>',
      [[2], ['<|img_row_1_col_1|>', 4, '<|img_row_2_col_1|>', 4, '<|img_thumbnail|>', 3]],
      '<|image_end|>',
    ),
  },
  llava: LLAVA,
  // FastVLM.
  llava_qwen2: LLAVA,
  paligemma: {
    kind: 'PaliGemmaProcessor',
    preprocessor: { ...SIGLIP, image_seq_length: 4 },
    tokenizer: { bos_token: '<bos>' },
    tokens: ['<image>', '<bos>'],
    template: '<image>',
    encoder: { form: 'pixels', patch: 14 },
    written: [
      [4, '<bos>'],
      [4, '<bos>'],
    ],
  },
  mistral3: rows('[IMG]', '[IMG_BREAK]', '[IMG_END]'),
  lighton_ocr: rows('<|image_pad|>', '<|vision_pad|>', '<|vision_end|>'),
};
