/**
 * Requests and their answers, a JSON file for each dialect: `answer` is what the body of the answer has at least. What is
 * answered with 200 is asked for as a stream, too.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/service/http/app.js';
import type { CompatibilityName } from '../../../src/core/models/inference-options.js';
import { buildApp, scriptedChat } from '../../support/build-app.js';
import { recordingBackend } from '../../support/recording-backend.js';
import { parseEvents } from '../../support/read-events.js';
import { type StreamDialect, validateStream } from '../../support/validate-stream.js';
import { post } from './support/call.js';

const UUID = /^[0-9a-f-]{36}$/;

interface Case {
  name: string;
  body: Record<string, unknown>;
  status: number;
  answer: { error?: { param?: string } };
  /** The header `x-ignored-tools`. */
  ignored?: string;
  /** Texts that stand in the prompt, in this order, and there once each. */
  once?: string[];
  /** Texts that do not stand there. */
  never?: string[];
  /** Names of the functions that the model is offered. */
  offered?: string[];
}

interface Cases {
  path: string;
  compatibility?: CompatibilityName;
  cases: readonly Case[];
}

const dialects = import.meta.glob<Cases>('./cases/*.json', { eager: true, import: 'default' });

describe.each(Object.entries(dialects).map(([file, each]) => [file.slice(8, -5), each] as const))(
  '%s',
  (_, { path, compatibility, cases }) => {
    const { backend, requests } = recordingBackend();
    let app: App;
    beforeAll(async () => {
      ({ app } = await buildApp({
        models: [scriptedChat({ contextLength: 20_000 })],
        rateLimits: { requestsPerMinute: 100_000 },
        backends: { scripted: backend },
        ...(compatibility && { compatibility }),
      }));
    });

    it.each(cases.map((each) => [each.name, each] as const))('%s', async (_, each) => {
      const { body, status, answer } = each;
      requests.length = 0;
      const { status: found, json, headers } = await post(app, path, body);
      expect({ status: found, json }).toMatchObject({ status, json: answer });
      const { param } = answer.error ?? {};
      expect(json.error?.message ?? '').toContain(param === undefined ? '' : `\`${param}\``);
      expect(status === 200 || UUID.test(json.request_id)).toBe(true);
      expect(headers.get('x-ignored-tools')).toBe(each.ignored ?? null);
      expectPrompt(each);
      if (status !== 200 || compatibility === undefined) return;
      const streamed = await post(app, path, { ...body, stream: true });
      validateStream(path.slice(4).replace('/', '-') as StreamDialect, parseEvents(streamed.text));
      expect([streamed.status, streamed.headers.get('x-ignored-tools')]).toEqual([200, each.ignored ?? null]);
    });

    function expectPrompt({ once = [], never = [], offered }: Case): void {
      const [request] = requests;
      expect(offered && request?.tools.map(({ name }) => name)).toEqual(offered);
      const prompt = JSON.stringify(request?.prompt ?? '');
      const places = once.map((text) => prompt.indexOf(text));
      expect(once.filter((text) => prompt.split(text).length !== 2)).toEqual([]);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect(never.filter((text) => prompt.includes(text))).toEqual([]);
    }
  },
);
