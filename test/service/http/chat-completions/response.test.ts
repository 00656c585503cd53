/** What a chat completion looks like. */
import { describe, expect, it } from 'vitest';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { tokenBackend } from '../../../support/token-backend.js';
import { end, PROMPT, token } from '../../answer/token-source.js';
import { chat, eventsOf } from '../support/call.js';

const script = (replies: NonNullable<ModelEntry['script']>['replies'], overrides: Partial<ModelEntry> = {}) =>
  buildApp({ models: [scriptedChat({ script: { replies }, ...overrides })] });

const LOOK = {
  type: 'function',
  function: { name: 'look_up', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
};
const CALL = { toolCalls: [{ name: 'look_up', arguments: { city: 'Bern' } }] };

describe('the object', () => {
  it('[C68] has id, object, created, model, system_fingerprint, choices and usage', async () => {
    const { app } = await buildApp({ now: () => 1_800_000_000_500 });
    const first = (await chat(app)).json;
    const second = (await chat(app)).json;
    expect(first).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion',
      created: 1_800_000_000,
      model: 'scripted-chat',
      system_fingerprint: expect.stringMatching(/^fp_[0-9a-f]{10}$/),
      usage: {},
    });
    expect(first.choices).toHaveLength(1);
    expect(second.id).not.toBe(first.id);
    expect(second.system_fingerprint).toBe(first.system_fingerprint);
  });

  it('[C69] a choice has index, message and finish_reason', async () => {
    const { app } = await buildApp();
    const { json } = await chat(app);
    expect(json.choices).toEqual([
      {
        index: 0,
        message: { role: 'assistant', content: 'Hello there, friend.', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ]);
  });

  it('[C63] n gives so many choices', async () => {
    const { app } = await buildApp();
    for (const n of [1, 8]) {
      const { json } = await chat(app, { n });
      expect(json.choices.map((choice: { index: number }) => choice.index)).toEqual([...Array(n).keys()]);
      for (const choice of json.choices) expect(choice.message.content).toBe('Hello there, friend.');
    }
  });

  it('an alias is answered by the model behind it', async () => {
    const { app } = await buildApp({ models: [scriptedChat({ aliases: ['gpt-x'] })] });
    expect((await chat(app, { model: 'gpt-x' })).json.model).toBe('scripted-chat');
  });
});

describe('usage', () => {
  it('[C70] prompt, completion and their sum', async () => {
    const { app } = await buildApp();
    const { usage } = (await chat(app)).json;
    expect(usage.prompt_tokens).toBeGreaterThan(0);
    expect(usage.completion_tokens).toBe(5);
    expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens);
  });

  it('[C71] reasoning tokens are there, 0 without reasoning, counted in completion_tokens', async () => {
    const { app } = await script([{ text: 'Yes.', reasoning: 'let me think about it' }]);
    const direct = (await chat(app)).json.usage;
    expect(direct.completion_tokens_details.reasoning_tokens).toBe(0);
    const thought = (await chat(app, { chat_template_kwargs: { enable_thinking: true } })).json.usage;
    expect(thought.completion_tokens_details.reasoning_tokens).toBeGreaterThan(0);
    expect(thought.completion_tokens).toBeGreaterThanOrEqual(
      direct.completion_tokens + thought.completion_tokens_details.reasoning_tokens,
    );
    const capped = (await chat(app, { chat_template_kwargs: { enable_thinking: true }, max_tokens: 3 })).json.usage;
    expect(capped.completion_tokens).toBe(3);
  });

  it('[C03] a developer message counts as the same system message', async () => {
    const { app } = await buildApp();
    const tokensOf = async (role: string): Promise<number> => {
      const messages = [
        { role, content: 'Be brief.' },
        { role: 'user', content: 'Hello.' },
      ];
      return (await chat(app, { messages })).json.usage.prompt_tokens;
    };
    // The template gives a system message a place of its own; a user message elsewhere would have other tokens around it.
    expect(await tokensOf('developer')).toBe(await tokensOf('system'));
    expect(await tokensOf('developer')).toBeGreaterThan((await chat(app)).json.usage.prompt_tokens);
  });

  it('[C72] no cached tokens on chat', async () => {
    const { app } = await buildApp();
    expect((await chat(app)).json.usage).not.toHaveProperty('prompt_tokens_details');
  });

  it('[C73] is_last_response and stop_reason', async () => {
    const { app } = await buildApp();
    expect((await chat(app)).json.usage).toMatchObject({ is_last_response: true, stop_reason: 'stop' });
    expect((await chat(app, { max_tokens: 2 })).json.usage.stop_reason).toBe('length');
  });

  it('[C74] times and rates are numbers that fit together', async () => {
    const { app } = await buildApp({
      models: [scriptedChat({ script: { replies: [{ text: 'word ', repeat: 15 }], tokenDelayMs: 2 } })],
    });
    const { usage } = (await chat(app)).json;
    const names = [
      'total_latency',
      'time_to_first_token',
      'time_to_first_token_graph',
      'completion_tokens_per_sec',
      'completion_tokens_after_first_per_sec',
      'completion_tokens_after_first_per_sec_first_ten',
      'completion_tokens_after_first_per_sec_graph',
      'total_tokens_per_sec',
    ];
    expect(names.filter((name) => !(usage[name] > 0))).toEqual([]);
    expect(usage.start_time).toBeLessThanOrEqual(usage.end_time);
    expect(usage.time_to_first_token).toBeLessThanOrEqual(usage.total_latency);
    expect(usage.total_latency).toBeCloseTo(usage.end_time - usage.start_time, 3);
  });
});

describe('length', () => {
  it('[C18] max_tokens cuts the text', async () => {
    const { app } = await script([{ text: 'word ', repeat: 50 }]);
    const { json } = await chat(app, { max_tokens: 7 });
    expect(json.usage.completion_tokens).toBe(7);
    expect(json.choices[0].finish_reason).toBe('length');
  });

  it('[C19] max_completion_tokens wins over max_tokens', async () => {
    const { app } = await script([{ text: 'word ', repeat: 50 }]);
    expect((await chat(app, { max_tokens: 30, max_completion_tokens: 4 })).json.usage.completion_tokens).toBe(4);
    expect((await chat(app, { max_tokens: 4, max_completion_tokens: 30 })).json.usage.completion_tokens).toBe(30);
  });

  it('[C21] the cap of the model holds without a cap and against a greater one', async () => {
    const { app } = await script([{ text: 'word ', repeat: 50 }], { maxCompletionTokens: 12 });
    for (const fields of [{}, { max_tokens: 1000 }]) {
      const { json } = await chat(app, fields);
      expect(json.usage.completion_tokens).toBe(12);
      expect(json.choices[0].finish_reason).toBe('length');
    }
  });

  it('[C22] a prompt longer than the context: 400 context_length_exceeded', async () => {
    const { app } = await script([{ text: 'x' }], { contextLength: 64 });
    const { status, json } = await chat(app, { messages: [{ role: 'user', content: 'many words '.repeat(200) }] });
    expect(status).toBe(400);
    expect(json.error).toMatchObject({ code: 'context_length_exceeded', type: 'invalid_request_error' });
    expect(json.request_id).toBeTypeOf('string');
  });

  it('[C23] a cap that does not fit is shortened', async () => {
    const { app } = await script([{ text: 'word ', repeat: 500 }], { contextLength: 64 });
    const { status, json } = await chat(app, { max_tokens: 1000 });
    expect(status).toBe(200);
    expect(json.choices[0].finish_reason).toBe('length');
    expect(json.usage.total_tokens).toBeLessThanOrEqual(64);
  });

  it('[C34] a stop sequence ends the text and is left out, also across tokens', async () => {
    const { app } = await script([{ text: 'one two three four' }]);
    for (const stop of ['three', 'wo thr', [' four', 'two t']]) {
      const { json } = await chat(app, { stop });
      const first = typeof stop === 'string' ? stop : 'two t';
      expect(json.choices[0].message.content).toBe('one two three four'.split(first)[0]);
      expect(json.choices[0].finish_reason).toBe('stop');
    }
  });

  it('[C34] a stop sequence inside JSON or a call ends the answer as it is', async () => {
    const { app } = await script([{ text: '{"a": 1, "b": 2}' }]);
    for (const stream of [false, true]) {
      const { text } = await chat(app, { response_format: { type: 'json_object' }, stop: ',', stream });
      const choices = stream ? eventsOf(text).flatMap(({ json }) => json?.choices ?? []) : JSON.parse(text).choices;
      expect(choices.map((choice: any) => (choice.message ?? choice.delta).content ?? '').join('')).toBe('{"a": 1');
      expect(choices.at(-1).finish_reason).toBe('stop');
    }
    const pieces = ['<tool_call>', '{"name": "look_up", ', '"arguments": {"city":"'];
    const events = [PROMPT, ...pieces.map((piece) => token(piece)), end(0, { stopSequence: 'Bern' })];
    const stopped = await buildApp({ backends: { scripted: tokenBackend(events) } });
    const [choice] = (await chat(stopped.app, { tools: [LOOK], tool_choice: 'required', stop: 'Bern' })).json.choices;
    expect(choice.finish_reason).toBe('stop');
    expect(choice.message.tool_calls[0].function).toMatchObject({ name: 'look_up', arguments: '{"city":"' });
  });

  it('[C35] of several stop sequences the first to occur ends the text', async () => {
    const { app } = await script([{ text: 'one two three four' }]);
    expect((await chat(app, { stop: ['four', 'three', 'x', 'two'] })).json.choices[0].message.content).toBe('one ');
  });
});

it('[C65] logit_bias +100 makes the token win at every step', async () => {
  const { app } = await buildApp();
  // The first 256 tokens of a scripted model are bytes.
  const { json } = await chat(app, { logit_bias: { 65: 100 }, max_tokens: 6 });
  expect(json.choices[0]).toMatchObject({ message: { content: 'AAAAAA' }, finish_reason: 'length' });
  const banned = await chat(app, { logit_bias: { 65: -100 }, max_tokens: 6 });
  expect(banned.json.choices[0].message.content).toBe('Hello there, friend.');
});

describe('log-probabilities', () => {
  it('[C61] logprobs: one entry per token; without it null', async () => {
    const { app } = await buildApp();
    const { json } = await chat(app, { logprobs: true });
    const { content } = json.choices[0].logprobs;
    expect(json.choices[0].logprobs.refusal).toBeNull();
    expect(content).toHaveLength(json.usage.completion_tokens);
    expect(content.map((entry: { token: string }) => entry.token).join('')).toBe('Hello there, friend.');
    for (const entry of content) {
      expect(Object.keys(entry).toSorted()).toEqual(['bytes', 'logprob', 'token', 'top_logprobs']);
      expect(entry.logprob).toBeLessThanOrEqual(0);
      expect(new TextDecoder().decode(new Uint8Array(entry.bytes))).toBe(entry.token);
    }
    expect((await chat(app, { logprobs: false })).json.choices[0].logprobs).toBeNull();
  });

  it('[C62] top_logprobs gives at most so many alternatives', async () => {
    const { app } = await buildApp();
    for (const top_logprobs of [0, 1, 20]) {
      const { json } = await chat(app, { logprobs: true, top_logprobs });
      for (const entry of json.choices[0].logprobs.content)
        expect(entry.top_logprobs.length).toBeLessThanOrEqual(top_logprobs);
    }
    const { json } = await chat(app, { logprobs: true, top_logprobs: 3 });
    expect(json.choices[0].logprobs.content[0].top_logprobs).toHaveLength(3);
  });
});

describe('tools', () => {
  it('[C55] a call has id, type, name and arguments as JSON text', async () => {
    const { app } = await script([CALL]);
    const { json } = await chat(app, { tools: [LOOK] });
    const { message, finish_reason } = json.choices[0];
    expect(finish_reason).toBe('tool_calls');
    expect(message.content === null || message.content === '').toBe(true);
    expect(message.tool_calls).toEqual([
      { id: expect.any(String), type: 'function', function: { name: 'look_up', arguments: expect.any(String) } },
    ]);
    expect(JSON.parse(message.tool_calls[0].function.arguments)).toEqual({ city: 'Bern' });
    expect(json.usage.stop_reason).toBe('tool_calls');
  });

  it('[C45] tool_choice none: no calls', async () => {
    const { app } = await script([CALL]);
    const { status, json } = await chat(app, { tools: [LOOK], tool_choice: 'none' });
    expect(status).toBe(200);
    expect(json.choices[0].message).not.toHaveProperty('tool_calls');
    expect(json.choices[0].finish_reason).not.toBe('tool_calls');
  });

  it('[C48] a forced choice that the model does not satisfy: 400 flat', async () => {
    const { app } = await script([{ text: 'I would rather not.' }]);
    for (const tool_choice of [{ type: 'function', function: { name: 'look_up' } }, 'required']) {
      const { status, json } = await chat(app, { tools: [LOOK], tool_choice });
      expect(status).toBe(400);
      expect(Object.keys(json).toSorted()).toEqual(['error', 'error_code', 'error_param', 'error_type']);
      expect(json.error_param).toBe('tool_choice');
    }
  });

  it('[S26] the same in a stream ends with a general error', async () => {
    const { app } = await script([{ text: 'I would rather not.' }]);
    const { text } = await chat(app, { tools: [LOOK], tool_choice: 'required', stream: true });
    const errors = eventsOf(text).filter(({ json }) => json?.error);
    expect(errors.map(({ json }) => json)).toEqual([
      {
        error: {
          message: expect.any(String),
          type: 'invalid_request_error',
          code: 'tool_choice_unsatisfied',
          param: 'tool_choice',
        },
        request_id: expect.any(String),
      },
    ]);
  });

  it('[C76] allowed_tools offers those tools alone, and its mode is honoured', async () => {
    const { app } = await script([CALL]);
    const other = { type: 'function', function: { name: 'other', description: 'Something that is longer.' } };
    const allow = (mode: string, tools: object[]) => ({ type: 'allowed_tools', allowed_tools: { mode, tools } });
    const alone = await chat(app, { tools: [LOOK] });
    const allowed = await chat(app, { tools: [other, LOOK], tool_choice: allow('required', [LOOK]) });
    expect(allowed.json.usage.prompt_tokens).toBe(alone.json.usage.prompt_tokens);
    expect(allowed.json.choices[0].message.tool_calls).toHaveLength(1);
    const none = await chat(app, { tools: [LOOK], tool_choice: allow('auto', []) });
    expect(none.json.choices[0].message).not.toHaveProperty('tool_calls');
    expect((await chat(app, { tools: [LOOK], tool_choice: allow('required', []) })).status).toBe(400);
  });

  it('[C50] several calls have their own ids; parallel_tool_calls false allows one', async () => {
    const second = { name: 'look_up', arguments: { city: 'Rome' } };
    const { app } = await script([{ toolCalls: [...CALL.toolCalls, second] }]);
    const calls = (await chat(app, { tools: [LOOK] })).json.choices[0].message.tool_calls;
    expect(calls).toHaveLength(2);
    expect(calls[0].id).not.toBe(calls[1].id);
    const single = (await chat(app, { tools: [LOOK], parallel_tool_calls: false })).json.choices[0].message.tool_calls;
    expect(single).toHaveLength(1);
  });

  it('[C42] a call that the limit cuts: 200 with error.model_output', async () => {
    const { app } = await script([CALL]);
    const { status, json } = await chat(app, { tools: [LOOK], max_tokens: 5 });
    expect(status).toBe(200);
    expect(Object.keys(json).toSorted()).toEqual(['error', 'request_id']);
    expect(Object.keys(json.error).toSorted()).toEqual(['code', 'message', 'model_output', 'param', 'type']);
    expect(json.error.model_output).toContain('<tool_call>');
  });

  it('[C57] a call and its result are accepted and answered', async () => {
    const { app } = await script([{ match: '21 degrees', text: 'It is warm.' }, CALL]);
    const messages: unknown[] = [{ role: 'user', content: 'How warm is it?' }];
    const { message } = (await chat(app, { messages, tools: [LOOK] })).json.choices[0];
    messages.push(message, { role: 'tool', tool_call_id: message.tool_calls[0].id, content: '21 degrees' });
    const { status, json } = await chat(app, { messages, tools: [LOOK] });
    expect(status).toBe(200);
    expect(json.choices[0].message.content).toBe('It is warm.');
  });
});

describe('reasoning', () => {
  it('[C58] enable_thinking makes the model reason; without it there is none', async () => {
    const { app } = await script([{ text: 'Yes.', reasoning: 'two and two' }]);
    const { message } = (await chat(app, { chat_template_kwargs: { enable_thinking: true } })).json.choices[0];
    expect(message.reasoning).toContain('two and two');
    for (const fields of [{}, { chat_template_kwargs: { enable_thinking: false } }]) {
      expect((await chat(app, fields)).json.choices[0].message.reasoning ?? null).toBeNull();
    }
  });

  it('[C60] reasoning is one string and not repeated in the content', async () => {
    const { app } = await script([{ text: 'Yes.', reasoning: 'two and two' }]);
    const { message } = (await chat(app, { chat_template_kwargs: { enable_thinking: true } })).json.choices[0];
    expect(Object.keys(message).toSorted()).toEqual(['content', 'reasoning', 'refusal', 'role']);
    expect(message.content.trim()).toBe('Yes.');
  });
});

it('[C41] structured output that the limit cuts: 200 with error.model_output', async () => {
  const { app } = await script([{ text: '{"name": "Ann", "town": "Bern"}' }]);
  const formats = [
    { type: 'json_object' },
    { type: 'json_schema', json_schema: { name: 'person', schema: { type: 'object' } } },
  ];
  for (const response_format of formats) {
    const whole = await chat(app, { response_format });
    expect(JSON.parse(whole.json.choices[0].message.content)).toEqual({ name: 'Ann', town: 'Bern' });
    const { status, json } = await chat(app, { response_format, max_tokens: 4 });
    expect(status).toBe(200);
    expect(json.error).toMatchObject({ code: 'model_output_invalid', type: 'invalid_request_error', param: null });
    expect(json.error.model_output).toMatch(/^\{"name/);
    expect(json.request_id).toBeTypeOf('string');
  }
});

it('[C37] response_format text changes nothing', async () => {
  const { app } = await buildApp();
  expect((await chat(app, { response_format: { type: 'text' } })).json.choices).toEqual((await chat(app)).json.choices);
});

it('[X23] nothing of an earlier request is seen by a later one', async () => {
  const { app } = await script([{ match: 'secret', text: 'Noted.' }, { text: 'Who are you?' }]);
  await chat(app, { messages: [{ role: 'user', content: 'The secret is blue.' }] });
  const later = await chat(app, { messages: [{ role: 'user', content: 'What did I say?' }] });
  const alone = await chat((await script([{ text: 'Who are you?' }])).app, {
    messages: [{ role: 'user', content: 'What did I say?' }],
  });
  expect(later.json.choices).toEqual(alone.json.choices);
  expect(later.json.usage.prompt_tokens).toBe(alone.json.usage.prompt_tokens);
});
