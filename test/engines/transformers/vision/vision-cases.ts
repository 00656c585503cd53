/** What a model that sees must answer as the library itself does, for each family and device. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadTextModel } from '../../../../src/engines/transformers/text/load-text-model.js';
import type { TextModel } from '../../../../src/language/decoding/create-text-model.js';
import { VisionEncoder } from '../../../../src/engines/transformers/vision/vision-encoder.js';
import type { TokenEvent } from '../../../../src/core/events/token-event.js';
import type { ContentPart, Message } from '../../../../src/core/request/message.js';
import { type GenerationRequest, plainGenerationRequest } from '../../../../src/core/request/generation-request.js';
import { collectEvents, piecesOf } from '../../../support/token-events.js';
import { BareModel } from '../../../vision/bare-model.js';
import { drawPicture, imagePart } from '../../../vision/pictures.js';
import type { VisionFamily } from '../../../vision/vision-model-files.js';

export const { signal } = new AbortController();

/** Counts the runs of the vision encoders; images that a model remembers are not encoded again. */
export const encode = vi.spyOn(VisionEncoder.prototype, 'encode');

export function loadSeeing(
  family: VisionFamily,
  device: 'wasm' | 'webgpu',
  source = `/.cache/vision/${family}/`,
): Promise<TextModel> {
  return loadTextModel(
    { id: family, task: 'chat', backend: 'transformers', source, device, dtype: 'fp32' },
    {
      onProgress: () => {},
      signal,
      assetsURL: new URL('/inpage/', location.href).href,
      pageURL: location.href,
    },
  );
}

export const idsOf = (events: readonly TokenEvent[]) => piecesOf(events).map((piece) => piece.token);
export const promptOf = (events: readonly TokenEvent[]) => events.find((event) => event.type === 'prompt')!;

/** One turn of the user. */
export const user = (...content: (ContentPart | string)[]): Message => ({
  role: 'user',
  content: content.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)),
});

const said = (text: string): Message => ({ role: 'assistant', content: [{ type: 'text', text }], toolCalls: [] });

export const ask = (messages: Message[], changes: Partial<GenerationRequest> = {}): GenerationRequest => ({
  ...plainGenerationRequest('seeing', { type: 'chat', messages }),
  maxTokens: 12,
  ...changes,
});

const TOKENS = 12;
const TOOL = {
  name: 'count_things',
  description: 'Counts.',
  parameters: { type: 'object', properties: { what: { type: 'string' } } },
};

const image = { type: 'image' } as const;
const text = (words: string) => ({ type: 'text', text: words }) as const;

/** Loads the model twice, into the engine and into the library. */
export function describeSeeing(family: VisionFamily, device: 'wasm' | 'webgpu'): void {
  describe(`${family} on ${device}`, () => {
    let model: TextModel;
    let bare: BareModel;
    let first: Blob;
    let second: Blob;

    const answer = async (messages: Message[], changes: Partial<GenerationRequest> = {}) => {
      const events = await collectEvents(model.generate(ask(messages, changes), signal));
      return { promptTokens: promptOf(events).promptTokens, ids: idsOf(events) };
    };

    beforeAll(async () => {
      model = await loadSeeing(family, device);
      bare = await BareModel.load(family, `/.cache/vision/${family}`, device);
      first = await drawPicture(1, [60, 44]);
      second = await drawPicture(2, [90, 150], 'image/jpeg');
    });
    afterAll(async () => {
      await model.unload();
      await bare.dispose();
    });

    it('says of one image what the library says', async () => {
      const answers: unknown[] = [];
      for (const picture of [first, second]) {
        const messages = [{ role: 'user' as const, content: [image, text('What is this?')] }];
        const expected = await bare.answer(messages, [picture], { tokens: TOKENS });
        const given = await answer([user(await imagePart(picture), 'What is this?')]);
        expect(given).toEqual(expected);
        answers.push(given.ids);
      }
      expect(answers[0]).not.toEqual(answers[1]);
      expect(model.info.images).toBe(true);
    });

    it('says of two images what the library says, in either order', async () => {
      for (const pictures of [
        [first, second],
        [second, first],
      ]) {
        const messages = [{ role: 'user' as const, content: [text('Compare '), image, text(' with '), image] }];
        const expected = await bare.answer(messages, pictures, { tokens: TOKENS });
        const [one, other] = await Promise.all(pictures.map((picture) => imagePart(picture)));
        expect(await answer([user('Compare ', one!, ' with ', other!)])).toEqual(expected);
      }
    });

    it('says of an image in an earlier turn what the library says, without another look', async () => {
      const picture = await drawPicture(3, [70, 70]);
      const part = await imagePart(picture);
      const before = encode.mock.calls.length;
      // Seen on WebGPU: ONNX Runtime answers a prompt that it reads at once, as the library does, otherwise than on WASM, and
      // one that it reads in two pieces as on WASM.
      if (device === 'wasm') await collectEvents(model.generate(ask([user(part, 'What is this?')]), signal));
      const messages = [
        { role: 'user' as const, content: [image, text('What is this?')] },
        { role: 'assistant' as const, content: [text('A thing.')] },
        { role: 'user' as const, content: [text('And its colour?')] },
      ];
      const expected = await bare.answer(messages, [picture], { tokens: TOKENS });
      const turns = [user(part, 'What is this?'), said('A thing.'), user('And its colour?')];
      const events = await collectEvents(model.generate(ask(turns), signal));
      expect({ promptTokens: promptOf(events).promptTokens, ids: idsOf(events) }).toEqual(expected);
      expect(encode).toHaveBeenCalledTimes(before + 1);
    });

    // The templates of the other family know no tools.
    it.runIf(family === 'qwen2-vl')('says of an image beside tools what the library says', async () => {
      const messages = [{ role: 'user' as const, content: [image, text('How many?')] }];
      const tools = [{ type: 'function', function: TOOL }];
      const expected = await bare.answer(messages, [first], { tokens: TOKENS, tools });
      expect(await answer([user(await imagePart(first), 'How many?')], { tools: [TOOL] })).toEqual(expected);
    });
  });
}
