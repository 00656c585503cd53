/**
 * What a model's `preprocessor_config.json` says of sizes, before the library makes tables and pictures of them: a wrong number
 * there is a table of gigabytes, or a picture in a million tiles.
 * @module
 */
import { InferenceError } from '../../../core/errors/inference-error.js';

const FILE = 'preprocessor_config.json';

interface Bounds {
  least: number;
  most: number;
}

/** Far beyond what published models have. */
const SOUND: Readonly<Record<string, Bounds>> = {
  sampling_rate: { least: 1_000, most: 384_000 },
  n_fft: { least: 1, most: 65_536 },
  hop_length: { least: 1, most: 65_536 },
  win_length: { least: 1, most: 65_536 },
  feature_size: { least: 1, most: 4_096 },
  num_mel_bins: { least: 1, most: 4_096 },
  chunk_length: { least: 0, most: 3_600 },
  max_audio_clip_s: { least: 0, most: 3_600 },
  n_samples: { least: 0, most: 384_000 * 3_600 },
  nb_max_frames: { least: 0, most: 10_000_000 },
  stride: { least: 1, most: 1_024 },
};

const SIDE: Bounds = { least: 1, most: 8_192 };
/** Of what an image is cut into. */
const TILE: Bounds = { least: 16, most: 8_192 };
const COUNT: Bounds = { least: 0, most: 65_536 };
const PIXELS: Bounds = { least: 1, most: 2 ** 28 };

const IMAGES: Readonly<Record<string, Bounds>> = {
  size: SIDE,
  crop_size: SIDE,
  max_image_size: TILE,
  tile_size: TILE,
  patch_size: { least: 1, most: 1_024 },
  encoder_patch_size: { least: 1, most: 1_024 },
  temporal_patch_size: { least: 1, most: 64 },
  merge_size: { least: 1, most: 64 },
  downsample_factor: { least: 1, most: 64 },
  min_tiles: { least: 0, most: 256 },
  max_tiles: { least: 1, most: 256 },
  num_crops: { least: 0, most: 256 },
  max_num_patches: COUNT,
  min_image_tokens: COUNT,
  max_image_tokens: COUNT,
  min_pixels: PIXELS,
  max_pixels: PIXELS,
};

/** Image processors whose `size` counts the pixels of a whole picture. */
const COUNTS_PIXELS = /Qwen|Glm/i;

/**
 * @param id of the model
 * @throws InferenceError `model_not_supported`, which names the field
 */
export function checkPreprocessor(id: string, config: unknown): void {
  if (typeof config !== 'object' || config === null) return;
  const fields = config as Readonly<Record<string, unknown>>;
  const ofKind = fields['image_processor_type'] ?? fields['processor_class'];
  const size = COUNTS_PIXELS.test(String(ofKind)) ? PIXELS : SIDE;
  for (const [name, bounds] of Object.entries({ ...SOUND, ...IMAGES, size })) check(id, name, fields[name], bounds);
}

/** A number, or an object or a list of such. Null is as good as absent, and a switch says nothing of size. */
function check(id: string, name: string, value: unknown, bounds: Bounds): void {
  if (value === undefined || value === null || typeof value === 'boolean') return;
  if (typeof value === 'object') {
    for (const [inner, each] of Object.entries(value).slice(0, MOST_SIDES)) check(id, `${name}.${inner}`, each, bounds);
    return;
  }
  if (typeof value === 'number' && value >= bounds.least && value <= bounds.most) return;
  const told = JSON.stringify(value).slice(0, 40);
  const reason = `Its \`${FILE}\` states ${told} for \`${name}\`; it must be a number from ${bounds.least} to ${bounds.most}.`;
  const details = { param: 'model', reason, permanent: true };
  throw new InferenceError('model_not_supported', `The model \`${id}\` cannot run here. ${reason}`, details);
}

/** Height and width, or the edges. */
const MOST_SIDES = 8;
