import { expect, it } from 'vitest';
import { expectedGraphs, isVisionModel } from '../../../../src/engines/transformers/repository/repository-files.js';

const PARTS = ['embed_tokens', 'vision_encoder', 'decoder_model_merged'];

it.each<[string, object, string[]]>([
  ['a model of text', { model_type: 'llama' }, ['model']],
  ['SmolVLM, Qwen-VL and most others', { vision_config: { patch_size: 14 } }, PARTS],
  ['FastVLM', { model_type: 'llava_qwen2', mm_vision_tower: 'mobileclip_l_1024' }, PARTS],
  ['Gemma 3n and 4', { vision_config: {}, audio_config: {} }, [...PARTS, 'audio_encoder']],
])('the config of %s tells its graphs', (_, config, graphs) => {
  expect(expectedGraphs(config as Record<string, unknown>)).toEqual(graphs);
  expect(isVisionModel(graphs)).toBe(graphs.length > 1);
});
