/** Requests and their answers, a JSON file for each dialect: `answer` is what the body of the answer has at least. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/gateway/http/app.js';
import { buildApp, scriptedChat } from '../../support/build-app.js';
import { post } from './support/call.js';

const UUID = /^[0-9a-f-]{36}$/;

interface Cases {
  path: string;
  cases: readonly { name: string; body: unknown; status: number; answer: { error?: { param?: string } } }[];
}

const dialects = import.meta.glob<Cases>('./cases/*.json', { eager: true, import: 'default' });

describe.each(Object.values(dialects).map((each) => [each.path, each] as const))('%s', (_, { path, cases }) => {
  let app: App;
  beforeAll(async () => {
    ({ app } = await buildApp({
      models: [scriptedChat({ contextLength: 20_000 })],
      rateLimits: { requestsPerMinute: 100_000 },
    }));
  });

  it.each(cases.map((each) => [each.name, each] as const))('%s', async (_, { body, status, answer }) => {
    const { status: found, json } = await post(app, path, body);
    expect({ status: found, json }).toMatchObject({ status, json: answer });
    const { param } = answer.error ?? {};
    expect(json.error?.message ?? '').toContain(param === undefined ? '' : `\`${param}\``);
    expect(status === 200 || UUID.test(json.request_id)).toBe(true);
  });
});
