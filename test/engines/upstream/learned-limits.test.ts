import { describe, expect, it } from 'vitest';
import type { LoadedModel } from '../../../src/core/models/backend.js';
import type { GenerationRequest } from '../../../src/core/request/generation-request.js';
import { ask, stop } from './answer.js';
import { loadUpstream, serveRemotely, streamOf } from './through-app.js';

type Body = Record<string, unknown>;

/** A service that refuses what `complain` complains about; gives the bodies that it got. */
function serveWith(complain: (body: Body) => object | undefined): Body[] {
  const bodies: Body[] = [];
  serveRemotely({
    async fetch(request) {
      const body = (await request.json()) as Body;
      bodies.push(body);
      const refusal = complain(body);
      return refusal ? Response.json(refusal, { status: 400 }) : streamOf(stop);
    },
  });
  return bodies;
}

async function generate(model: LoadedModel, overrides: Partial<GenerationRequest> = {}): Promise<void> {
  for await (const _ of model.generate!(ask(overrides), new AbortController().signal));
}

const error = (message: string, param: string | null = null): object => ({ error: { message, param } });
const unnamed = (name: string): object => error(`Unrecognized request argument supplied: ${name}`);
const cap =
  "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";

describe('a request', () => {
  it('is put in other words for services that want them, once and for all', async () => {
    const bodies = serveWith((body) => {
      if ('max_tokens' in body) return error(cap, 'max_tokens');
      if ('temperature' in body) return error("'temperature' does not support 0 with this model.", 'temperature');
      return undefined;
    });
    const model = await loadUpstream();
    await generate(model, { maxTokens: 5 });
    await generate(model, { maxTokens: 6 });
    expect(bodies).toHaveLength(4);
    expect(bodies[3]).toMatchObject({ max_completion_tokens: 6 });
    expect(Object.keys(bodies[3]!)).not.toContain('temperature');
    // What was asked for is not left out.
    const hot = generate(model, { sampling: { temperature: 0.7 } });
    await expect(hot).rejects.toMatchObject({ code: 'invalid_request', details: { param: 'temperature' } });
  });

  it('goes without the wishes that a service does not know, however it says so', async () => {
    const bodies = serveWith((body) => {
      if ('chat_template_kwargs' in body) return unnamed('chat_template_kwargs');
      if ('reasoning_effort' in body) return [error('Unknown name "reasoning_effort": Cannot find field.')];
      if ('parallel_tool_calls' in body) return { error: { message: 'No parallel_tool_calls here.', param: 'None' } };
      if (!('stream_options' in body)) return undefined;
      return { message: { detail: [{ loc: ['body', 'stream_options', 'include_usage'], msg: 'Extra' }] }, param: null };
    });
    const model = await loadUpstream();
    const wishes = {
      tools: [{ name: 'now' }],
      parallelToolCalls: false,
      reasoning: { enabled: false, effort: 'low' },
    } as const;
    await generate(model, { ...wishes, tools: [...wishes.tools] });
    await generate(model, { ...wishes, tools: [...wishes.tools] });
    expect(bodies).toHaveLength(6);
    expect(Object.keys(bodies[5]!).toSorted()).toEqual([
      'messages',
      'model',
      'stream',
      'temperature',
      'tool_choice',
      'tools',
    ]);
  });

  it('learns from several refusals at a time', async () => {
    const bodies = serveWith((body) => ('max_tokens' in body ? error(cap, 'max_tokens') : undefined));
    const model = await loadUpstream();
    await Promise.all([generate(model, { maxTokens: 5 }), generate(model, { maxTokens: 6 })]);
    expect(bodies).toHaveLength(4);
  });

  it('that is wrong in itself teaches nothing', async () => {
    const bodies = serveWith((body) => {
      if ((body['max_tokens'] as number) > 99) return error('max_tokens is too large: 100.', 'max_tokens');
      if ((body['temperature'] as number) > 1) return error('temperature is too high', 'temperature');
      if (body['tools']) return error("Invalid schema: 'temperature' has no type", 'tools[0].function.parameters');
      return undefined;
    });
    const model = await loadUpstream();
    const refused = { code: 'invalid_request' };
    await expect(generate(model, { maxTokens: 100 })).rejects.toMatchObject(refused);
    await expect(generate(model, { sampling: { temperature: 2 } })).rejects.toMatchObject(refused);
    await expect(generate(model, { tools: [{ name: 'heat' }] })).rejects.toMatchObject(refused);
    await generate(model, { maxTokens: 5 });
    expect(bodies).toHaveLength(4);
    expect(bodies[3]).toMatchObject({ max_tokens: 5, temperature: 0 });
  });
});
