import * as fc from 'fast-check';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { PIECE_LENGTH, PieceReader, toPieces, type WireMessage } from '../../src/extension/wire-message.js';

/** As browsers carry them: JSON. */
function carried(message: WireMessage): { messages: (WireMessage | undefined)[]; sizes: number[] } {
  const reader = new PieceReader();
  const texts = toPieces(message).map((piece) => JSON.stringify(piece));
  return { messages: texts.map((text) => reader.read(JSON.parse(text))), sizes: texts.map((text) => text.length) };
}

const open = (body: ArrayBuffer | undefined): WireMessage => ({
  type: 'open',
  payload: { url: 'https://inpage.invalid/v1/models', method: 'POST', headers: [['a', 'b']], body },
  lifeline: undefined,
});

it('a small message is one piece', () => {
  expect(carried({ type: 'credit', count: 8 }).messages).toEqual([{ type: 'credit', count: 8 }]);
  const items: WireMessage = { type: 'items', items: [{ status: 200 }, { bytes: new Uint8Array([0, 255, 7]) }] };
  expect(carried(items).messages).toEqual([items]);
});

it('what has the form of something else stays what it is', () => {
  for (const item of [null, true, 'bytes', { bytes: 'text' }, { bytes: 5 }]) {
    const message: WireMessage = { type: 'items', items: [item] };
    expect(carried(message).messages).toEqual([message]);
  }
});

it('bytes arrive exactly, in the body of a request and in every chunk', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 4 }), (chunks) => {
      const items = chunks.map((bytes) => ({ bytes: new Uint8Array(bytes) }));
      expect(carried({ type: 'items', items }).messages.at(-1)).toEqual({ type: 'items', items });
    }),
  );
  const body = new Uint8Array([1, 0, 200]).buffer;
  expect(carried(open(body)).messages).toEqual([open(body)]);
  expect(carried(open(new ArrayBuffer(0))).messages).toEqual([open(new ArrayBuffer(0))]);
});

it('bytes of another realm arrive, as the bodies of requests are in content scripts of Firefox', () => {
  const body = runInNewContext('new Uint8Array([1, 0, 200]).buffer') as ArrayBuffer;
  expect(body).not.toBeInstanceOf(ArrayBuffer);
  expect(carried(open(body)).messages).toEqual([open(new Uint8Array([1, 0, 200]).buffer)]);
});

it('a long body and a long text go in pieces, of which none is long', () => {
  const body = new Uint8Array(3 * PIECE_LENGTH + 1).map((_, index) => index % 251);
  const text = 'é"'.repeat(PIECE_LENGTH);
  const message: WireMessage = { type: 'open', payload: { text, body: body.buffer }, lifeline: undefined };
  const { messages, sizes } = carried(message);
  expect(messages.slice(0, -1).every((each) => each === undefined)).toBe(true);
  const last = messages.at(-1) as { payload: { text: string; body: ArrayBuffer } };
  expect(last.payload.text).toBe(text);
  expect(new Uint8Array(last.payload.body)).toEqual(body);
  expect(Math.max(...sizes)).toBeLessThan(2 ** 20);
});

it('what is no piece is an error, not a message', () => {
  const reader = new PieceReader();
  expect(() => reader.read({ text: 'null' })).toThrow('null');
  expect(() => new PieceReader().read({ text: '', bytes: '%' })).toThrow('broken');
  const short = JSON.stringify({ message: { type: 'items', items: [] }, lengths: [4] });
  expect(() => new PieceReader().read({ text: short, bytes: 'AAAA' })).toThrow('broken');
});
