import { describe, expect, it } from 'vitest';
import { PromptLayout, type VisionImage } from '../../../../src/engines/transformers/vision/prompt-layout.js';

const IMAGE = 9;
const image = (key: number, tokenCount: number): VisionImage => ({
  key,
  tokenCount,
  text: '',
  grid: undefined,
  part: { type: 'image', mediaType: 'image/png', bytes: new Uint8Array() },
});

function layOut(tokens: number[], images: VisionImage[]) {
  const asked: number[] = [];
  const features = async ({ key, tokenCount }: VisionImage): Promise<Float32Array> => {
    asked.push(key);
    return Float32Array.from({ length: tokenCount * 2 }, (_, index) => key * 100 - index);
  };
  const positions = { prompt: BigInt64Array.from({ length: 3 * tokens.length }, (_, at) => BigInt(at)), delta: -2n };
  return { asked, layout: new PromptLayout({ tokens, images, imageToken: IMAGE, features, positions }) };
}

describe('PromptLayout', () => {
  it('knows prompts with other images by their keys', () => {
    const { layout } = layOut([1, IMAGE, IMAGE, 2, IMAGE, 3], [image(-5, 2), image(-6, 1)]);
    expect(layout.keys).toEqual([1, -5, -5, 2, -6, 3]);
  });

  it('lets an image be seen when its first place is read, and once', async () => {
    const { layout, asked } = layOut([1, IMAGE, 2, IMAGE, IMAGE], [image(-5, 2), image(-6, 1)]);
    await layout.prepare(0, 1);
    expect(asked).toEqual([]);
    await layout.prepare(1, 4);
    await layout.prepare(4, 5);
    expect(asked).toEqual([-5, -6]);
    expect(layout.vectorAt(0)).toBeUndefined();
    expect([...layout.vectorAt(3)!]).toEqual([-502, -503]);
    expect([...layout.vectorAt(4)!]).toEqual([-600, -601]);
  });

  it('says where tokens are, in the prompt and behind it', () => {
    const { layout } = layOut([1, IMAGE, 2], [image(-5, 1)]);
    expect(layout.positionAt(1, 0)).toBe(1n);
    expect(layout.positionAt(1, 2)).toBe(7n);
    expect(layout.positionAt(10, 1)).toBe(8n);
  });

  it.each([[[1, IMAGE]], [[1, IMAGE, IMAGE, IMAGE]]])('refuses %j for two image tokens', (tokens) => {
    expect(() => layOut(tokens, [image(-5, 2)])).toThrow('image tokens');
  });
});
