/**
 * The processors of families that have no made model here, with the values of their published configs: what stands for an image
 * in the prompt must be as many places as their vision encoders give vectors. For these, that number follows from what the
 * processor makes of the picture.
 */
import * as library from '@huggingface/transformers';
import { RawImage, type Tensor } from '@huggingface/transformers';
import { beforeAll, expect, it } from 'vitest';
import { configureRuntime } from '../../../../src/engines/transformers/repository/transformers-environment.js';
import { drawImage } from '../../../../src/engines/common/image-pixels.js';
import { type ImageInputs, VisionProcessor } from '../../../../src/engines/transformers/vision/vision-processor.js';
import { drawPicture, imagePart } from '../../../vision/pictures.js';

interface PublishedFamily {
  /** `processor_class` and `image_processor_type` of `preprocessor_config.json`, without `Fast`. */
  kind: string;
  imageProcessor: string;
  preprocessor: object;
  /** Of `processor_config.json`. */
  processor?: object;
  /** Of `tokenizer_config.json`. */
  tokenizer?: object;
  placeholder: string;
  /** The token of a place. */
  place: string;
  /** What the encoder takes. */
  inputs: string[];
  /** Vectors that the encoder makes of them. */
  vectors(inputs: ImageInputs): number;
}

const COLOURS = {
  do_rescale: true,
  rescale_factor: 1 / 255,
  do_normalize: true,
  do_convert_rgb: true,
  do_resize: true,
};
const HALVES = { image_mean: [0.5, 0.5, 0.5], image_std: [0.5, 0.5, 0.5], resample: 2 };

const product = (tensor: Tensor | undefined): number =>
  Array.from(tensor!.data as BigInt64Array, Number).reduce((all, size) => all * size, 1);
const sides = ({ pixel_values: pixels }: ImageInputs): [height: number, width: number] =>
  pixels!.dims.slice(-2) as [number, number];

const qwen = (kind: string, patch: number): PublishedFamily => ({
  kind,
  imageProcessor: 'Qwen2VLImageProcessor',
  preprocessor: {
    ...COLOURS,
    ...HALVES,
    patch_size: patch,
    merge_size: 2,
    temporal_patch_size: 2,
    size: { shortest_edge: 65_536, longest_edge: 1_048_576 },
  },
  placeholder: '<|image_pad|>',
  place: '<|image_pad|>',
  inputs: ['pixel_values', 'image_grid_thw'],
  vectors: ({ image_grid_thw: grid }) => product(grid) / 4,
});

const GEMMA_3 = { boi_token: '<start_of_image>', eoi_token: '<end_of_image>', image_token: '<image_soft_token>' };

const FAMILIES: Record<string, PublishedFamily> = {
  'Qwen2.5-VL': qwen('Qwen2_5_VLProcessor', 14),
  'Qwen3-VL, Qwen3.5': qwen('Qwen3VLProcessor', 16),
  'GLM-OCR': {
    ...qwen('Glm46VProcessor', 14),
    imageProcessor: 'Glm46VImageProcessor',
    placeholder: '<|image|>',
    place: '<|image|>',
  },
  'Gemma 3': {
    kind: 'Gemma3Processor',
    imageProcessor: 'Gemma3ImageProcessor',
    preprocessor: { ...COLOURS, ...HALVES, size: { height: 896, width: 896 } },
    processor: { image_seq_length: 256 },
    tokenizer: GEMMA_3,
    placeholder: '<start_of_image>',
    place: '<image_soft_token>',
    inputs: ['pixel_values'],
    vectors: (inputs) => (sides(inputs)[0] / 14 / 4) * (sides(inputs)[1] / 14 / 4),
  },
  'Gemma 3n': {
    kind: 'Gemma3nProcessor',
    imageProcessor: 'SiglipImageProcessor',
    preprocessor: { ...COLOURS, ...HALVES, do_normalize: false, size: { height: 768, width: 768 } },
    processor: { image_seq_length: 256, audio_seq_length: 188 },
    tokenizer: {
      ...GEMMA_3,
      audio_token: '<audio_soft_token>',
      boa_token: '<start_of_audio>',
      eoa_token: '<end_of_audio>',
    },
    placeholder: '<image_soft_token>',
    place: '<image_soft_token>',
    inputs: ['pixel_values'],
    vectors: (inputs) => (sides(inputs)[0] / 48) * (sides(inputs)[1] / 48),
  },
  'Gemma 4': {
    kind: 'Gemma4Processor',
    imageProcessor: 'Gemma4ImageProcessor',
    preprocessor: { patch_size: 16, pooling_kernel_size: 3, max_soft_tokens: 280, do_resize: true },
    processor: { image_seq_length: 280 },
    tokenizer: { boi_token: '<|image>', eoi_token: '<image|>', image_token: '<|image|>', audio_token: '<|audio|>' },
    placeholder: '<|image|>',
    place: '<|image|>',
    inputs: ['pixel_values', 'image_position_ids'],
    // Patches that are none stand at -1, and nine are one vector.
    vectors: ({ image_position_ids: places }) =>
      Array.from(places!.data as BigInt64Array).filter((at) => at >= 0n).length / 2 / 9,
  },
  'LFM2-VL': {
    kind: 'Lfm2VlProcessor',
    imageProcessor: 'Lfm2VlImageProcessor',
    preprocessor: {
      ...COLOURS,
      ...HALVES,
      do_resize: false,
      do_image_splitting: true,
      downsample_factor: 2,
      encoder_patch_size: 16,
      max_image_tokens: 256,
      max_num_patches: 1024,
      max_pixels_tolerance: 2,
      max_tiles: 10,
      min_image_tokens: 64,
      min_tiles: 2,
      tile_size: 512,
      use_thumbnail: true,
    },
    placeholder: '<image>',
    place: '<image>',
    inputs: ['pixel_values', 'pixel_attention_mask', 'spatial_shapes'],
    vectors({ spatial_shapes: shapes }) {
      const halves = Array.from(shapes!.data as BigInt64Array, (side) => Math.ceil(Number(side) / 2));
      return halves.reduce((sum, side, index) => (index % 2 === 0 ? sum + side * halves[index + 1]! : sum), 0);
    },
  },
  'LLaVA (interleave)': {
    kind: 'LlavaProcessor',
    imageProcessor: 'SiglipImageProcessor',
    preprocessor: { ...COLOURS, ...HALVES, size: { height: 384, width: 384 } },
    processor: { image_token: '<image>', patch_size: 14, num_additional_image_tokens: 0 },
    placeholder: '<image>',
    place: '<image>',
    inputs: ['pixel_values'],
    vectors: (inputs) => Math.floor(sides(inputs)[0] / 14) * Math.floor(sides(inputs)[1] / 14),
  },
  'Mistral 3': {
    kind: 'PixtralProcessor',
    imageProcessor: 'PixtralImageProcessor',
    preprocessor: { ...COLOURS, ...HALVES, patch_size: 14, spatial_merge_size: 2, size: { longest_edge: 1540 } },
    processor: {
      image_token: '[IMG]',
      image_break_token: '[IMG_BREAK]',
      image_end_token: '[IMG_END]',
      patch_size: 14,
      spatial_merge_size: 2,
    },
    placeholder: '[IMG]',
    place: '[IMG]',
    inputs: ['pixel_values'],
    vectors: (inputs) => Math.floor(sides(inputs)[0] / 28) * Math.floor(sides(inputs)[1] / 28),
  },
};

const classes = library as unknown as Record<string, new (...given: unknown[]) => library.Processor>;

async function picture(size: readonly [number, number]): Promise<RawImage> {
  const { data, width, height } = await drawImage(await imagePart(await drawPicture(3, size)));
  return new RawImage(data, width, height, 4);
}

// Some resize with a graph of their own.
beforeAll(() => configureRuntime('wasm', new URL('/inpage/', location.href).href, 1));

it.each(Object.entries(FAMILIES))('%s gives an image as many places as it has vectors', async (_, family) => {
  const { kind, imageProcessor, preprocessor, processor = {}, tokenizer = {} } = family;
  const components = {
    tokenizer: Object.assign(() => ({}), { config: tokenizer }),
    image_processor: new classes[imageProcessor]!({ ...preprocessor, image_processor_type: imageProcessor }),
  };
  const vision = VisionProcessor.of(new classes[kind]!(processor, components, null), kind)!;
  expect(vision.placeholder).toBe(family.placeholder);
  for (const size of [
    [300, 200],
    [640, 900],
  ] as const) {
    const { text, inputs } = await vision.process(await picture(size), undefined);
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(family.inputs));
    const places = text.split(family.place).length - 1;
    expect(places).toBeGreaterThan(10);
    expect([size, places]).toEqual([size, family.vectors(inputs)]);
  }
});
