/**
 * Real WebLLM, real kernels, real WebGPU. With random weights the answers are nonsense, and nothing here looks at them.
 * On SwiftShader one token takes many seconds, so there the contract suite runs on demand only.
 */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { browserEnvironment, type WebLlmModule } from '../../src/engines/web-llm/web-llm-environment.js';
import { createWebLlmBackend } from '../../src/engines/web-llm/web-llm-backend.js';
import type { TextModel } from '../../src/language/decoding/create-text-model.js';
import type { TokenEvent } from '../../src/core/events/token-event.js';
import type { LoadProgress, ModelEntry } from '../../src/core/models/model-entry.js';
import { type GenerationRequest, plainGenerationRequest } from '../../src/core/request/generation-request.js';
import type { Message } from '../../src/core/request/message.js';
import { describeBackend } from '../contract/backend-contract.js';
import { collectAnswer, interpret, logprobsOf, piecesOf, textOf } from '../support/token-events.js';

const folder = inject('webLlmModel');
if (!folder) console.warn('SKIPPED: WebLLM was not tested, because INPAGE_WEBLLM_MODEL names no model folder.');

const adapter = await navigator.gpu?.requestAdapter();
const onSoftware = adapter?.info.architecture === 'swiftshader' || adapter?.info.isFallbackAdapter === true;
const url = new URL(`/@fs${folder}/`, location.href).href;
const entry: ModelEntry = {
  id: 'real',
  task: 'chat',
  backend: 'web-llm',
  source: url,
  modelLibrary: `${url}model.wasm`,
  contextLength: 1024,
};
const progress: LoadProgress[] = [];
const devices: GPUDevice[] = [];

/** Model libraries fit one version of WebLLM; the folder says which. */
async function importEngine(): Promise<WebLlmModule> {
  const answer = await fetch(`${url}engine.json`);
  const name = answer.ok ? ((await answer.json()) as { package?: string }).package : undefined;
  if (name !== 'web-llm-0-2-79') return browserEnvironment.importWebLlm();
  const older: unknown = await import('web-llm-0-2-79');
  return older as WebLlmModule;
}

/** Notes every device that the engine makes, so that a test can take one away. */
function noteDevices(): void {
  const original = GPUAdapter.prototype.requestDevice;
  GPUAdapter.prototype.requestDevice = async function (descriptor) {
    const device = await original.call(this, descriptor);
    devices.push(device);
    return device;
  };
}

async function load(changes: Partial<ModelEntry> = {}): Promise<TextModel> {
  const began = performance.now();
  const backend = createWebLlmBackend({ ...browserEnvironment, importWebLlm: importEngine });
  const options = {
    onProgress: (event: LoadProgress) => void progress.push(event),
    signal: new AbortController().signal,
    assetsURL: location.href,
    pageURL: location.href,
  };
  const model = await backend.load({ ...entry, ...changes }, options);
  report('load', began, progress.at(-1)!.totalBytes, 'bytes');
  return model as TextModel;
}

function report(what: string, began: number, count: number, unit: string): void {
  console.warn(`${what}: ${((performance.now() - began) / 1000).toFixed(1)} s, ${count} ${unit}`);
}

const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });

function ask(changes: Partial<GenerationRequest> = {}, messages = [user('Hi')]): GenerationRequest {
  return { ...plainGenerationRequest('real', { type: 'chat', messages }), maxTokens: 2, ...changes };
}

async function collect(model: TextModel, request: GenerationRequest): Promise<TokenEvent[]> {
  const began = performance.now();
  const events: TokenEvent[] = [];
  for await (const step of model.generate(request, new AbortController().signal)) {
    const [event] = step;
    if (event?.type === 'prompt') report('prompt', began, event.promptTokens - event.cachedTokens, 'tokens');
    events.push(...step);
  }
  report('generation', began, piecesOf(events).length, 'tokens');
  return events;
}

/** On SwiftShader the suite's answers are cut short; no test of it needs more than this. */
const MIN_TOKENS = 5;

if (folder && (!onSoftware || inject('webLlmContract'))) {
  describeBackend('WebLLM', {
    load: () => load(onSoftware ? { maxCompletionTokens: MIN_TOKENS } : {}),
    skip: [
      {
        reason: 'WebLLM holds one sequence, in which a question follows the input',
        tests: ['[D08] finds the input in the prefix cache when it is asked again'],
      },
    ],
  });
}

describe.skipIf(!folder)('WebLLM with a real model library', () => {
  let model: TextModel;
  beforeAll(async () => {
    noteDevices();
    model = await load();
  });
  afterAll(() => model?.unload());

  it('loads with progress in bytes', () => {
    const stages = progress.map(({ stage }) => stage);
    expect(stages.at(-1)).toBe('initialize');
    expect(stages).toContain('download');
    expect(progress.at(-1)!.totalBytes).toBeGreaterThan(0);
    expect(model.info).toMatchObject({ device: 'webgpu', contextLength: 1024, toolFormat: 'hermes' });
  });

  it('generates, and reuses the prompt when the conversation goes on', async () => {
    const first = await collect(model, ask({ maxTokens: 1, topLogprobs: 2 }));
    const [prompt] = first;
    expect(prompt).toMatchObject({ type: 'prompt', cachedTokens: 0 });
    expect(logprobsOf(first)).toMatchObject([{ top: [{}, {}] }]);
    expect(logprobsOf(first)[0]!.logprob).toBeLessThan(0);
    const history: Message[] = [
      user('Hi'),
      { role: 'assistant', content: [{ type: 'text', text: 'Yes' }], toolCalls: [] },
      user('Go on'),
    ];
    const second = await collect(model, ask({ maxTokens: 1 }, history));
    const counted = prompt?.type === 'prompt' ? prompt.promptTokens : 0;
    expect(second[0]).toMatchObject({ type: 'prompt', cachedTokens: counted });
  });

  it('chooses by itself the tokens that its logits say', async () => {
    const own = await collect(model, ask());
    const read = await collect(model, ask({ topLogprobs: 0 }));
    expect(piecesOf(own).map(({ token }) => token)).toEqual(piecesOf(read).map(({ token }) => token));
  });

  it('follows a JSON schema, which no random model does by itself', async () => {
    const schema = {
      type: 'object',
      properties: { ok: { type: 'boolean' } },
      required: ['ok'],
      additionalProperties: false,
    };
    const output = { type: 'json-schema', name: 'answer', schema, strict: true } as const;
    const events = await collect(model, ask({ maxTokens: 24, output }));
    expect(JSON.parse(textOf(events))).toEqual({ ok: expect.any(Boolean) });
  });

  it('calls a forced tool, though WebLLM knows no tools for this model', async () => {
    const request = ask({
      maxTokens: 60,
      tools: [{ name: 'now', parameters: { type: 'object', properties: {}, additionalProperties: false } }],
      toolChoice: { name: 'now' },
    });
    const tokens = model.generate(request, new AbortController().signal);
    const answer = await collectAnswer(interpret(tokens, request));
    expect(answer.choices[0]).toMatchObject({ reason: 'tool-calls', toolCalls: [{ name: 'now' }] });
  });

  it('stops when it is cancelled, and is free again', async () => {
    const controller = new AbortController();
    const run = async (): Promise<void> => {
      for await (const _ of model.generate(ask({ maxTokens: 50 }), controller.signal)) controller.abort();
    };
    await expect(run()).rejects.toMatchObject({ code: 'cancelled' });
    expect((await collect(model, ask({ maxTokens: 1 }))).at(-1)).toMatchObject({ type: 'end' });
  });

  it('reports a lost device in the middle of an answer, and loads again from the cache', async () => {
    const run = async (): Promise<void> => {
      for await (const _ of model.generate(ask({ maxTokens: 50 }), new AbortController().signal))
        devices.at(-1)!.destroy();
    };
    await expect(run()).rejects.toMatchObject({ code: 'unavailable' });
    await expect(model.lost).resolves.toMatchObject({ code: 'unavailable' });
    await model.unload();
    model = await load();
    expect((await collect(model, ask({ maxTokens: 1 }))).at(-1)).toMatchObject({ type: 'end' });
  });
});
