/** What coding agents get back with `compatibility: 'hosted'`: calls in the form that their programs expect. */
import type { ScriptedReply } from '../../../src/core/models/script.js';
import { describe, expect, it } from 'vitest';
import type { App } from '../../../src/service/http/app.js';
import type { Backend } from '../../../src/core/models/backend.js';
import type { GenerationRequest, SamplingDefaults } from '../../../src/core/request/generation-request.js';
import { createTextModel } from '../../../src/language/decoding/create-text-model.js';
import { createScriptedEngine } from '../../../src/engines/scripted/scripted-engine.js';
import { readSamplingDefaults, withSamplingDefaults } from '../../../src/language/sampling/sampling-defaults.js';
import { buildApp, scriptedChat } from '../../support/build-app.js';
import { chat, eventsOf, get, post } from './support/call.js';

async function calling(name: string, args: Record<string, unknown>): Promise<App> {
  const models = [scriptedChat({ script: { replies: [{ toolCalls: [{ name, arguments: args }] }] } })];
  return (await buildApp({ models, compatibility: 'hosted' })).app;
}

const peel = { type: 'function', name: 'peel', parameters: { type: 'object' } };
const SPACES = ['mcp__fruit', 'mcp__veg'].map((name) => ({ type: 'namespace', name, tools: [peel] }));
const PATCH = { type: 'create_file', path: 'a.txt', diff: '+x' };
const EXEC = { type: 'exec', command: ['ls'], env: {} };

const FORMS: [called: string, args: Record<string, unknown>, tools: object[], item: object][] = [
  ['mcp__fruit__peel', { a: 1 }, SPACES, { type: 'function_call', name: 'peel', namespace: 'mcp__fruit' }],
  ['mcp__veg__peel', { a: 1 }, SPACES, { type: 'function_call', name: 'peel', namespace: 'mcp__veg' }],
  ['apply_patch', PATCH, [{ type: 'apply_patch' }], { type: 'apply_patch_call', operation: PATCH }],
  ['shell', { commands: ['ls'] }, [{ type: 'shell' }], { type: 'shell_call', action: { commands: ['ls'] } }],
  ['local_shell', EXEC, [{ type: 'local_shell' }], { type: 'local_shell_call', action: EXEC }],
  [
    'tool_search',
    { query: 'fruit' },
    [{ type: 'tool_search', execution: 'client' }],
    { type: 'tool_search_call', execution: 'client', arguments: { query: 'fruit' } },
  ],
];

describe('[G10] calls of the client’s tools', () => {
  it.each(FORMS)('%s, whole, streamed and sent back', async (called, args, tools, item) => {
    const app = await calling(called, args);
    const body = { model: 'scripted-chat', input: 'Do it.', tools };
    const { json } = await post(app, '/v1/responses', body);
    expect(json.output).toMatchObject([{ ...item, status: 'completed', call_id: expect.any(String) }]);
    const events = eventsOf((await post(app, '/v1/responses', { ...body, stream: true })).text);
    const done = events.find(({ json: event }) => event?.type === 'response.output_item.done');
    expect(done?.json.item).toMatchObject({ ...item, status: 'completed' });
    const input = [{ role: 'user', content: 'Do it.' }, ...json.output, { role: 'user', content: 'And?' }];
    expect((await post(app, '/v1/responses', { ...body, input })).status).toBe(200);
  });

  it('a bare name that only one namespace has is that function', async () => {
    const app = await calling('peel', {});
    const { json } = await post(app, '/v1/responses', { model: 'scripted-chat', input: 'Hi', tools: [SPACES[0]] });
    expect(json.output[0]).toMatchObject({ name: 'peel', namespace: 'mcp__fruit' });
  });

  it('free-text tools of chat completions, whole and streamed', async () => {
    const app = await calling('patch', { input: 'two\n"lines"' });
    const tools = [{ type: 'custom', custom: { name: 'patch' } }];
    const { json } = await chat(app, { tools });
    const [call] = json.choices[0].message.tool_calls;
    expect(call).toMatchObject({ type: 'custom', custom: { name: 'patch', input: 'two\n"lines"' } });
    const deltas = eventsOf((await chat(app, { tools, stream: true })).text).flatMap(
      ({ json: event }) => event?.choices?.[0]?.delta.tool_calls ?? [],
    );
    expect(deltas[0]).toMatchObject({ index: 0, type: 'custom', custom: { name: 'patch', input: '' } });
    expect(deltas.map(({ custom }) => custom.input).join('')).toBe('two\n"lines"');
  });

  it('a shell of /messages comes back as tool_use with its name', async () => {
    const app = await calling('bash', { command: 'ls' });
    const tools = [{ type: 'bash_20250124', name: 'bash' }];
    const body = { model: 'scripted-chat', max_tokens: 99, messages: [{ role: 'user', content: 'Hi' }], tools };
    const { json } = await post(app, '/v1/messages', body);
    expect(json.content).toMatchObject([{ type: 'tool_use', name: 'bash', input: { command: 'ls' } }]);
  });
});

const DEFAULTS: SamplingDefaults = { temperature: 0.6, topP: 0.9, topK: 20, minP: 0.05, repetitionPenalty: 1.1 };

/** A scripted model whose files ask for sampling. */
function sampled(asked: GenerationRequest[]): Backend {
  return {
    async load(entry) {
      const formats = { toolFormat: 'none', reasoningFormat: 'none' } as const;
      const script = entry.script!;
      const choose = (): ScriptedReply => script.replies[0]!;
      const engine = createScriptedEngine({ script, choose, contextLength: 999, ...formats });
      const { open } = engine;
      const recording = {
        ...engine,
        open: (request: Parameters<typeof open>[0]) => {
          asked.push(request.answers!);
          return open(request);
        },
      };
      const info = { device: 'none', threads: 1, sampling: DEFAULTS } as const;
      return createTextModel(recording, { info, unload: async () => {} });
    },
  };
}

const ENDPOINTS: [path: string, body: object][] = [
  ['/v1/chat/completions', { messages: [{ role: 'user', content: 'Hi' }] }],
  ['/v1/completions', { prompt: 'Hi' }],
  ['/v1/messages', { max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }],
  ['/v1/responses', { input: 'Hi' }],
];

describe('[G12] sampling by the model’s files', () => {
  it.each(ENDPOINTS)('%s', async (path, body) => {
    for (const compatibility of ['hosted', 'service'] as const) {
      const asked: GenerationRequest[] = [];
      const { app, inference } = await buildApp({ compatibility, backends: { scripted: sampled(asked) } });
      for (const fields of [{}, { temperature: 0 }, { top_p: 0.5 }, { top_k: 3 }])
        expect((await post(app, path, { model: 'scripted-chat', ...body, ...fields })).status).toBe(200);
      const [open, ...decided] = asked.map(({ sampling }) => sampling);
      const expected = compatibility === 'hosted' ? DEFAULTS : path === '/v1/completions' ? { temperature: 0.7 } : {};
      expect(open).toMatchObject(expected);
      expect('minP' in open!).toBe(compatibility === 'hosted');
      expect(decided.filter((sampling) => 'minP' in sampling)).toEqual([]);
      const { json } = await get(app, '/v1/models/scripted-chat');
      const shown = { temperature: 0.6, top_p: 0.9, top_k: 20, min_p: 0.05, repetition_penalty: 1.1 };
      expect(json.default_parameters).toEqual(compatibility === 'hosted' ? shown : undefined);
      expect(inference.status()[0]).toMatchObject({ sampling: DEFAULTS });
    }
  });

  it('only a file that asks for sampling decides', () => {
    for (const file of [undefined, null, {}, { temperature: 0.6 }, { do_sample: false, temperature: 0.6 }]) {
      expect(readSamplingDefaults(file)).toBeUndefined();
    }
    const file = { do_sample: true, temperature: 0.6, top_p: 0.9, top_k: 20, min_p: 0.05, repetition_penalty: 1.1 };
    expect(readSamplingDefaults(file)).toEqual(DEFAULTS);
    expect(readSamplingDefaults({ do_sample: true, top_k: -1, top_p: 'x' })).toEqual({ temperature: 1 });
    expect(withSamplingDefaults({ byModel: true, repetitionPenalty: 1.5 }, DEFAULTS).repetitionPenalty).toBe(1.5);
    expect(withSamplingDefaults({ byModel: true }, undefined)).toEqual({ byModel: true });
  });
});
