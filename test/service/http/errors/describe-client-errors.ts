/** The error classes of the official clients, raised by real causes. Run in Node and in Chromium. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, it, vi } from 'vitest';
import { buildApp, scriptedChat } from '../../../support/build-app.js';

const messages = [{ role: 'user' as const, content: 'Hello.' }];

async function connect(options: Parameters<typeof buildApp>[0] = {}, apiKey = 'sk-right') {
  const { app } = await buildApp({
    apiKeys: ['sk-right'],
    models: [
      scriptedChat(),
      scriptedChat({ id: 'dear', access: 'not-in-plan' }),
      scriptedChat({ id: 'broken', script: { replies: [], failWith: 'internal' } }),
    ],
    ...options,
  });
  let calls = 0;
  let onRefusal = (): void => {};
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    calls += 1;
    const response = await app.request(input instanceof URL ? input.href : input, init);
    if (response.status === 429) onRefusal();
    return response;
  };
  const shared = { apiKey, fetch, maxRetries: 0, dangerouslyAllowBrowser: true };
  const openai = new OpenAI({ ...shared, baseURL: 'http://localhost/v1' });
  const anthropic = new Anthropic({ ...shared, baseURL: 'http://localhost' });
  return {
    calls: () => calls,
    whenRefused: (then: () => void) => (onRefusal = then),
    chat: (model: string, fields = {}, retries = 0) =>
      openai.chat.completions.create({ model, messages, ...fields }, { maxRetries: retries }),
    message: (model: string, fields = {}, retries = 0) =>
      anthropic.messages.create({ model, messages, max_tokens: 20, ...fields }, { maxRetries: retries }),
  };
}

/** Both clients, the same causes. */
export function describeClientErrors(): void {
  describe.each([
    ['openai', OpenAI, 'chat'],
    ['anthropic', Anthropic, 'message'],
  ] as const)('%s', (_, client, call) => {
    it('AuthenticationError for a wrong key', async () => {
      const connection = await connect({}, 'sk-wrong');
      await expect(connection[call]('scripted-chat')).rejects.toBeInstanceOf(client.AuthenticationError);
    });

    it('NotFoundError for an unknown model', async () => {
      const connection = await connect();
      await expect(connection[call]('nobody')).rejects.toBeInstanceOf(client.NotFoundError);
      await expect(connection[call]('nobody', { stream: true })).rejects.toBeInstanceOf(client.NotFoundError);
    });

    it('UnprocessableEntityError for a model outside the plan', async () => {
      const connection = await connect();
      await expect(connection[call]('dear')).rejects.toBeInstanceOf(client.UnprocessableEntityError);
    });

    it('BadRequestError for a wrong body', async () => {
      const connection = await connect();
      await expect(connection[call]('scripted-chat', { top_k: 0 })).rejects.toBeInstanceOf(client.BadRequestError);
    });

    it('InternalServerError for a model that fails', async () => {
      const log = vi.spyOn(console, 'error').mockImplementation(() => {});
      const connection = await connect();
      await expect(connection[call]('broken')).rejects.toBeInstanceOf(client.InternalServerError);
      log.mockRestore();
    });

    it('RateLimitError over the limit, and with retries the answer after retry-after', async () => {
      let now = 1_800_000_000_000;
      const connection = await connect({ rateLimits: { requestsPerMinute: 1 }, now: () => now });
      await connection[call]('scripted-chat');
      await expect(connection[call]('scripted-chat')).rejects.toBeInstanceOf(client.RateLimitError);
      // One second before the window is free again: the client must wait for it, and then gets its answer.
      now += 59_100;
      const before = connection.calls();
      connection.whenRefused(() => setTimeout(() => (now += 1000), 500));
      const answer = await connection[call]('scripted-chat', {}, 2);
      expect(answer.model).toBe('scripted-chat');
      expect(connection.calls() - before).toBe(2);
    });
  });
}
