/** What a made model that sees is asked about pictures, and what it must answer. */
import { expect, vi } from 'vitest';
import { plainGenerationRequest } from '../../../../src/core/request/generation-request.js';
import type { ContentPart, Message } from '../../../../src/core/request/message.js';
import type { TextModel } from '../../../../src/language/decoding/create-text-model.js';
import { VisionEncoder } from '../../../../src/engines/transformers/vision/vision-encoder.js';
import { collectEvents, piecesOf } from '../../../support/token-events.js';
import { AXES, type DecoderForm, expectedTokens, type Received, VOCABULARY } from './made-decoder.js';
import { imageValue } from './made-encoder.js';
import { type Picture, PICTURES } from './pictures.js';
import type { SeeingForm } from './vision-forms.js';

/** Token ids, or one of the pictures by its number. */
type Part = readonly number[] | { picture: 0 | 1 };

const [WIDE, TALL] = [{ picture: 0 }, { picture: 1 }] as const;

/** Conversations by what they try. */
const CONVERSATIONS: Readonly<Record<string, readonly Part[]>> = {
  'a picture': [[3, 1, 4], WIDE, [1, 5, 9]],
  'two pictures': [[7], WIDE, [2, 6, 5], TALL, [3, 5]],
  'in the other order': [TALL, WIDE, [8, 9, 7, 9]],
};

/** @param realm its way to draw, and how many tokens an answer has */
export async function lookAtPictures(
  model: TextModel,
  form: DecoderForm,
  seeing: SeeingForm,
  { draw, count }: { draw: (picture: Picture) => Promise<Blob>; count: number },
): Promise<void> {
  const encode = vi.spyOn(VisionEncoder.prototype, 'encode').mockClear();
  const parts = await Promise.all(
    PICTURES.map(async (picture): Promise<ContentPart> => {
      const file = await draw(picture);
      return { type: 'image', mediaType: file.type, bytes: new Uint8Array(await file.arrayBuffer()) };
    }),
  );
  const given: Record<string, unknown> = {};
  const expected: Record<string, unknown> = {};
  for (const [name, conversation] of Object.entries(CONVERSATIONS)) {
    const prompt = receivedParts(form, seeing, conversation);
    const content = conversation.map((part) => ('picture' in part ? parts[part.picture]! : textOf(part)));
    given[name] = await answer(model, content, count);
    expected[name] = { tokens: expectedTokens(form, prompt, count), promptTokens: prompt.length };
  }
  expect(given).toEqual(expected);
  // Both pictures were seen once, and were then known.
  expect(encode).toHaveBeenCalledTimes(PICTURES.length);
  encode.mockRestore();
}

const textOf = (ids: readonly number[]): ContentPart => ({ type: 'text', text: ids.map((id) => ` t${id}`).join('') });

async function answer(model: TextModel, content: ContentPart[], maxTokens: number): Promise<object> {
  const messages: Message[] = [{ role: 'user', content }];
  const request = { ...plainGenerationRequest('made', { type: 'chat', messages }), maxTokens };
  const events = await collectEvents(model.generate(request, new AbortController().signal));
  const prompts = events.flatMap((event) => (event.type === 'prompt' ? [event.promptTokens] : []));
  return { tokens: piecesOf(events).map(({ token }) => token), promptTokens: prompts[0] };
}

/** A conversation as the decoder gets it, with positions as papers and published code of the classes tell them. */
function receivedParts(form: DecoderForm, seeing: SeeingForm, conversation: readonly Part[]): Received[] {
  const prompt: Received[] = [];
  let position = form.positions === 'none' ? 0 : (form.firstPosition ?? 0);
  const push = (value: number): void => void prompt.push({ value, position: position++ });
  for (const part of conversation) {
    if (!('picture' in part)) {
      for (const id of part) push(id);
      continue;
    }
    let vector = 0;
    const valueOf = (): number => {
      const value = imageValue(PICTURES[part.picture], seeing.preprocessor, vector++);
      return form.vectors?.perLayer ? (value + VOCABULARY) / 2 : value;
    };
    for (const written of seeing.written[part.picture]!) {
      if (typeof written === 'string') {
        push(VOCABULARY + seeing.tokens.indexOf(written));
      } else if (form.positions === 'axes') {
        const [rows, columns] = seeing.grids![part.picture]!;
        for (const place of gridPositions(position, rows, columns)) prompt.push({ value: valueOf(), position: place });
        position += Math.max(rows, columns);
      } else {
        for (let place = 0; place < written; place++) push(valueOf());
      }
    }
  }
  return prompt;
}

/** Time stands still in an image; rows and columns count on from where the text was. */
function gridPositions(start: number, rows: number, columns: number): number[] {
  return Array.from({ length: rows * columns }, (_, at) => {
    const [time, row, column] = [start, start + Math.floor(at / columns), start + (at % columns)];
    return time * AXES[0] + row * AXES[1] + column * AXES[2];
  });
}
