import { type PreTrainedModel, Tensor } from '@huggingface/transformers';
import { expect, it } from 'vitest';
import { VisionEncoder } from '../../../../src/engines/transformers/vision/vision-encoder.js';

const encoderOf = (encode: () => Promise<Tensor>) =>
  new VisionEncoder({ config: { image_token_id: 3 }, encode_image: encode } as unknown as PreTrainedModel);

it('an encoder that fails is lost: the library would give the same error to all images after this one', async () => {
  const encoder = encoderOf(() => Promise.reject(new Error('failed to allocate a buffer')));
  await expect(encoder.encode({})).rejects.toMatchObject({ code: 'unavailable' });
  await expect(encoder.lost).resolves.toMatchObject({ code: 'unavailable' });
});

it('an encoder that works stays', async () => {
  const encoder = encoderOf(async () => new Tensor('float32', new Float32Array([1, 2]), [1, 1, 2]));
  expect(await encoder.encode({})).toEqual({ data: new Float32Array([1, 2]), count: 1 });
  expect(await Promise.race([encoder.lost, Promise.resolve('here')])).toBe('here');
});
