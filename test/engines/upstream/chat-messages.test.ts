import { describe, expect, it } from 'vitest';
import { toUpstreamMessages } from '../../../src/engines/upstream/chat-body.js';
import { toUpstreamRequest } from '../../../src/engines/upstream/chat-body.js';
import type { Message } from '../../../src/core/request/message.js';
import { ask } from './answer.js';

const calling = (...ids: string[]): Message => ({
  role: 'assistant',
  content: [],
  toolCalls: ids.map((id) => ({ id, name: `tool_${id}`, arguments: '{}' })),
});
const result = (toolCallId: string): Message => ({
  role: 'tool',
  toolCallId,
  content: [{ type: 'text', text: 'Done.' }],
});

/** Ids of calls and results, in order. */
function idsIn(messages: readonly Message[]): string[] {
  const sent = toUpstreamMessages(messages) as { tool_calls?: { id: string }[]; tool_call_id?: string }[];
  return sent.flatMap(({ tool_calls: calls = [], tool_call_id: id }) => [
    ...calls.map((call) => call.id),
    ...(id === undefined ? [] : [id]),
  ]);
}

describe('tool calls that are sent', () => {
  it('have ids of nine letters and digits, the same for a call and its result', () => {
    const ids = idsIn([calling('call_aB-_', 'b'), result('b'), result('call_aB-_')]);
    expect(ids.filter((id) => !/^[a-zA-Z0-9]{9}$/.test(id))).toEqual([]);
    const [first, second] = ids;
    expect(first).not.toBe(second);
    expect(ids).toEqual([first, second, second, first]);
  });

  it('are told apart where the conversation uses an id again', () => {
    const ids = idsIn([calling('a'), result('a'), calling('a'), result('a')]);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[3]).toBe(ids[2]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  it('have results that name their function, where there is one', () => {
    const [, known, unknown] = toUpstreamMessages([calling('a'), result('a'), result('stray')]);
    expect(known).toMatchObject({ role: 'tool', name: 'tool_a', content: 'Done.' });
    expect(unknown).toEqual({ role: 'tool', tool_call_id: 'stray', content: 'Done.' });
  });

  it('are of functions with a schema, even of no parameters', () => {
    const { body } = toUpstreamRequest(ask({ tools: [{ name: 'now' }] }), 'large');
    const parameters = { type: 'object', properties: {} };
    expect(body['tools']).toEqual([{ type: 'function', function: { name: 'now', parameters } }]);
  });
});

it('images of tool results are shown behind the results that stand together', () => {
  const image = (byte: number) => ({ type: 'image', mediaType: 'image/png', bytes: Uint8Array.of(byte) }) as const;
  const seen = (id: string, byte: number): Message => ({
    ...result(id),
    content: [{ type: 'text', text: id }, image(byte)],
  });
  const sent = toUpstreamMessages([calling('a', 'b'), seen('a', 1), seen('b', 2), calling('c'), result('c')]);
  const part = (base64: string) => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } });
  expect(sent.map((message) => (message as { role: string }).role)).toEqual([
    'assistant',
    'tool',
    'tool',
    'user',
    'assistant',
    'tool',
  ]);
  expect(sent.slice(1, 4)).toMatchObject([
    { content: 'a' },
    { content: 'b' },
    { content: [part('AQ=='), part('Ag==')] },
  ]);
});
