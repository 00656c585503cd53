import { expect, it } from 'vitest';
import { buildApp, scriptedChat } from './build-app.js';
import { post } from './http-client.js';
import { readEvents, type ReceivedEvent } from './read-events.js';
import { type StreamDialect, StreamRuleError, validateStream } from './validate-stream.js';

const messages = [{ role: 'user', content: 'Hello' }];
const schema = { type: 'object', properties: {} };

const BODIES: Record<Exclude<StreamDialect, 'audio'>, object> = {
  'chat-completions': {
    messages,
    tools: [{ type: 'function', function: { name: 'look', parameters: schema } }],
    stream_options: { include_usage: true },
    chat_template_kwargs: { enable_thinking: true },
  },
  completions: { prompt: 'Hello', stream_options: { include_usage: true } },
  messages: {
    messages,
    max_tokens: 100,
    thinking: { type: 'enabled', budget_tokens: 50 },
    tools: [{ name: 'look', input_schema: schema }],
  },
  responses: {
    input: 'Hello',
    reasoning: { effort: 'low' },
    tools: [{ type: 'function', name: 'look', parameters: schema }],
  },
};

async function goodStream(dialect: keyof typeof BODIES): Promise<ReceivedEvent[]> {
  const replies = [{ text: 'I look.', reasoning: 'Look?', toolCalls: [{ name: 'look', arguments: { at: 'it' } }] }];
  const { app } = await buildApp({ models: [scriptedChat({ script: { replies } })] });
  const path = dialect === 'chat-completions' ? '/chat/completions' : `/${dialect}`;
  return readEvents(await post(app, path, { model: 'scripted-chat', ...BODIES[dialect], stream: true }));
}

/** Pieces whose loss or repetition only a comparison with the whole text could find, and events that may come any time. */
const FREE: Record<keyof typeof BODIES, RegExp> = {
  'chat-completions': /"(content|reasoning)":"|"arguments":"/,
  completions: /"text":/,
  messages: /^\{"type":"(ping|content_block_delta)"/,
  responses: /^$/,
};

/** The stream without, with twice, and with another place for each event that matters. */
function* damaged(dialect: keyof typeof BODIES, events: readonly ReceivedEvent[]): Generator<ReceivedEvent[]> {
  for (const [index, event] of events.entries()) {
    if (FREE[dialect].test(event.data)) continue;
    yield events.toSpliced(index, 1);
    yield events.toSpliced(index, 0, event);
    const next = events[index + 1];
    if (next && !FREE[dialect].test(next.data)) yield events.toSpliced(index, 2, next, event);
  }
}

it.each(Object.keys(BODIES) as (keyof typeof BODIES)[])('knows good %s streams from bad ones', async (dialect) => {
  const events = await goodStream(dialect);
  expect(() => validateStream(dialect, events)).not.toThrow();
  for (let length = 0; length < events.length; length += 1) {
    expect(() => validateStream(dialect, events.slice(0, length), { end: 'aborted' })).not.toThrow();
  }
  for (const bad of damaged(dialect, events)) {
    expect(() => validateStream(dialect, bad)).toThrow(Error);
  }
  expect(() => validateStream(dialect, events, { end: 'failed' })).toThrow(StreamRuleError);
  expect(() =>
    validateStream(
      dialect,
      events.map(({ data }) => ({ event: 'wrong', data })),
    ),
  ).toThrow(StreamRuleError);
});
