/** What is remembered of images, with a processor and an encoder that only count. */
import { Tensor } from '@huggingface/transformers';
import { describe, expect, it, vi } from 'vitest';
import { ImageCache } from '../../../../src/engines/transformers/vision/image-cache.js';
import type { VisionEncoder } from '../../../../src/engines/transformers/vision/vision-encoder.js';
import type { VisionProcessor } from '../../../../src/engines/transformers/vision/vision-processor.js';
import type { ImagePart } from '../../../../src/core/request/message.js';
import { byteTokenizer, idOf } from '../../../language/decoding/fake-text-engine.js';

vi.mock('../../../../src/engines/common/image-pixels.js', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  drawImage: async () => ({ data: new Uint8ClampedArray(4), width: 1, height: 1 }),
}));

/** Floats of an image's input, and of its two vectors. */
const INPUT = 100;
const FEATURES = 20;

function eyes(maxBytes = Infinity, count = 2) {
  let processed = 0;
  let encoded = 0;
  const processor = {
    placeholder: '<think>',
    process: async () => {
      processed += 1;
      return {
        text: 'a<think><think>',
        inputs: { pixel_values: new Tensor('float32', new Float32Array(INPUT), [INPUT]) },
      };
    },
  } as unknown as VisionProcessor;
  const encoder = {
    imageToken: idOf('<think>'),
    encode: async () => {
      encoded += 1;
      return { data: new Float32Array(FEATURES), count };
    },
  } as unknown as VisionEncoder;
  const alone = <T>(work: () => Promise<T>): Promise<T> => work();
  const seen = new ImageCache({ processor, encoder, tokenizer: byteTokenizer, alone, maxBytes });
  return { seen, processed: () => processed, encoded: () => encoded };
}

const picture = (byte: number, detail?: ImagePart['detail']): ImagePart => ({
  type: 'image',
  mediaType: 'image/png',
  bytes: Uint8Array.of(byte),
  ...(detail && { detail }),
});

describe('ImageCache', () => {
  it('reads and encodes an image once, whoever shows it', async () => {
    const { seen, processed, encoded } = eyes();
    const first = await seen.read(picture(1));
    expect(first).toMatchObject({ text: 'a<think><think>', tokenCount: 2 });
    const again = await seen.read(picture(1));
    expect(again.key).toBe(first.key);
    expect(first.key).toBeLessThan(0);
    expect(Number.isSafeInteger(first.key)).toBe(true);
    await seen.features(first);
    await seen.features(again);
    expect([processed(), encoded()]).toEqual([1, 1]);
    const other = await seen.read(picture(2));
    const closer = await seen.read(picture(1, 'low'));
    expect(new Set([first.key, other.key, closer.key]).size).toBe(3);
  });

  it('[X26] knows nothing of an image that another caller has shown', async () => {
    const { seen, processed, encoded } = eyes();
    for (const caller of ['a', 'b', undefined, 'a']) await seen.features(await seen.read(picture(1), caller));
    expect([processed(), encoded()]).toEqual([3, 3]);
    // The size of a caller's name must not show as a key beyond what a cache takes.
    expect((await seen.read(picture(1), 'a'.repeat(64))).key).toBeLessThan(0);
  });

  it('forgets what was used least recently, and sees it again when it is asked for', async () => {
    const { seen, processed, encoded } = eyes(2.5 * FEATURES * 4 + INPUT * 4);
    const images = [];
    for (const byte of [1, 2, 3, 4]) {
      const image = await seen.read(picture(byte));
      await seen.features(image);
      images.push(image);
    }
    expect(encoded()).toBe(4);
    await seen.features(images[3]!);
    expect(encoded()).toBe(4);
    const before = processed();
    await seen.features(images[0]!);
    expect([processed(), encoded()]).toEqual([before + 1, 5]);
  });

  it('refuses another number of vectors than the prompt has image tokens, and names both', async () => {
    const { seen } = eyes(Infinity, 4);
    const image = await seen.read(picture(1));
    await expect(seen.features(image)).rejects.toMatchObject({
      code: 'model_not_supported',
      message: expect.stringMatching(/4 vectors.*2 tokens/),
    });
  });
});
