import { expect, it } from 'vitest';
import { checkPreprocessor } from '../../../../src/engines/transformers/repository/check-preprocessor.js';

it.each([
  ['a table of gigabytes', { n_fft: 1e9 }, 'n_fft'],
  ['a spectrum of a billion bands', { feature_size: 1e9 }, 'feature_size'],
  ['a rate of 10^12', { sampling_rate: 1e12 }, 'sampling_rate'],
  ['a text for a number', { sampling_rate: '16000' }, 'sampling_rate'],
  ['a rate below zero', { hop_length: -160 }, 'hop_length'],
  ['tiles of one pixel', { max_image_size: { longest_edge: 1 } }, 'max_image_size.longest_edge'],
  ['tiles of one pixel, as a number', { tile_size: 1 }, 'tile_size'],
  ['a picture of 10^10 pixels', { size: { height: 1e5, width: 1e5 } }, 'size.height'],
  ['a side that is a list', { size: [1e9, 1] }, 'size.0'],
  ['a patch of nothing', { patch_size: 0 }, 'patch_size'],
])('refuses %s for good, by name', (_, config, field) => {
  expect(() => checkPreprocessor('m', config)).toThrow(
    expect.objectContaining({
      code: 'model_not_supported',
      details: expect.objectContaining({ permanent: true, reason: expect.stringContaining(`\`${field}\``) }),
    }),
  );
});

it.each([
  // Whisper, Wav2Vec2, SmolVLM, Qwen2-VL, CLIP, LFM2-VL, and what is no config.
  { sampling_rate: 16_000, n_fft: 400, hop_length: 160, feature_size: 80, chunk_length: 30, n_samples: 480_000 },
  { sampling_rate: 16_000, feature_size: 1, do_normalize: true, padding_value: 0 },
  { size: { longest_edge: 2_048 }, max_image_size: { longest_edge: 512 }, do_image_splitting: true },
  { image_processor_type: 'Qwen2VLImageProcessor', size: { shortest_edge: 3_136, longest_edge: 12_845_056 } },
  { size: { shortest_edge: 224 }, crop_size: { height: 224, width: 224 }, patch_size: null },
  { tile_size: 512, max_tiles: 10, downsample_factor: 2, encoder_patch_size: 16, max_num_patches: 1_024 },
  null,
  [],
])('takes what published models have: %j', (config) => {
  expect(() => checkPreprocessor('m', config)).not.toThrow();
});
