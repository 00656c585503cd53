/** A scripted model of each family, through every endpoint: the official clients read the same calls from the stream. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import type { ReasoningFormat, ToolFormat } from '../../../src/core/models/answer-formats.js';
import { MODEL_FAMILIES } from '../../../src/language/families/families.js';
import type { ModelFamily } from '../../../src/language/families/format/model-family.js';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { buildApp } from '../../support/build-app.js';

const CALLS = [
  { name: 'search', arguments: { query: 'a "b" {c} [d], <e>\nü 😀', limit: 3, tags: ['x'] } },
  { name: 'set_light', arguments: { on: true, level: 0.5, deep: { color: null } } },
];
const SCHEMAS: Record<string, Record<string, unknown>> = {
  search: { query: { type: 'string' }, limit: { type: 'integer' }, tags: { type: 'array' } },
  set_light: { on: { type: 'boolean' }, level: { type: 'number' }, deep: { type: 'object' } },
};
const tools = Object.entries(SCHEMAS).map(([name, properties]) => ({
  name,
  parameters: { type: 'object', properties },
}));

const families = MODEL_FAMILIES.filter((family: ModelFamily) => family.tools && family.name !== 'none');
const models = families.map((family: ModelFamily): ModelEntry => ({
  id: family.name,
  task: 'chat',
  backend: 'scripted',
  contextLength: 4096,
  toolFormat: family.name as ToolFormat,
  // Functionary's says whom the model speaks to, and thinks nothing.
  reasoningFormat: (family.reasoning?.open ? family.name : 'think-tags') as ReasoningFormat,
  script: { replies: [{ reasoning: 'Hm, <both>.', toolCalls: CALLS }] },
}));

async function connect() {
  const { app } = await buildApp({ models });
  const fetch: typeof globalThis.fetch = async (input, init) =>
    app.request(input instanceof URL ? input.href : input, init);
  const options = { apiKey: 'none', fetch, maxRetries: 0, dangerouslyAllowBrowser: true };
  return {
    openai: new OpenAI({ ...options, baseURL: 'http://localhost/v1' }),
    anthropic: new Anthropic({ ...options, baseURL: 'http://localhost' }),
  };
}

const messages = [{ role: 'user' as const, content: 'Go.' }];

describe.each(models.map(({ id }) => id))('calls of %s', (model) => {
  it('through /chat/completions', async () => {
    const { openai } = await connect();
    const thinking = { chat_template_kwargs: { enable_thinking: true } };
    const stream = openai.chat.completions.stream({
      ...thinking,
      model,
      messages,
      tools: tools.map((each) => ({ type: 'function', function: each })),
    });
    const { choices } = await stream.finalChatCompletion();
    const calls = choices[0]!.message.tool_calls!.map((call) => ({
      name: call.type === 'function' ? call.function.name : '',
      arguments: JSON.parse(call.type === 'function' ? call.function.arguments : '') as unknown,
    }));
    expect(calls).toEqual(CALLS);
    expect(choices[0]!.message.content ?? '').toBe('');
    expect(choices[0]!.finish_reason).toBe('tool_calls');
  });

  it('through /messages', async () => {
    const { anthropic } = await connect();
    const stream = anthropic.messages.stream({
      model,
      messages,
      max_tokens: 2048,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      tools: tools.map(({ name, parameters }) => ({
        name,
        input_schema: { type: 'object' as const, properties: parameters.properties },
      })),
    });
    const { content, stop_reason: reason } = await stream.finalMessage();
    const calls = content.flatMap((block) =>
      block.type === 'tool_use' ? [{ name: block.name, arguments: block.input }] : [],
    );
    expect(calls).toEqual(CALLS);
    expect(content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : []))).toEqual(['Hm, <both>.']);
    expect(content.some((block) => block.type === 'text' && block.text !== '')).toBe(false);
    expect(reason).toBe('tool_use');
  });

  it('through /responses', async () => {
    const { openai } = await connect();
    const stream = openai.responses.stream({
      model,
      input: 'Go.',
      store: false,
      tools: tools.map((each) => ({ type: 'function' as const, strict: false, ...each })),
    });
    const { output } = await stream.finalResponse();
    const calls = output.flatMap((item) =>
      item.type === 'function_call' ? [{ name: item.name, arguments: JSON.parse(item.arguments) as unknown }] : [],
    );
    expect(calls).toEqual(CALLS);
    expect(output.some((item) => item.type === 'message')).toBe(false);
  });
});
