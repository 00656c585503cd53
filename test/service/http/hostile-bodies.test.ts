/** Bodies that cost more than they weigh: each is answered, and so is everybody else meanwhile. */
import { beforeAll, describe, expect, it } from 'vitest';
import { isInferenceError } from '../../../src/core/errors/inference-error.js';
import type { App } from '../../../src/service/http/app.js';
import { decodeAudio } from '../../../src/sound/decode-audio.js';
import { buildApp } from '../../support/build-app.js';
import { chat, read } from './support/call.js';
import { HOSTILE_BODIES, HOSTILE_RECORDINGS } from './support/hostile-bodies.js';
import { ALL_TASKS } from './support/models.js';

/** Seconds of processor time: far more than any of them takes, far less than a loop without end. */
const PATIENCE = 15;

let app: App;
beforeAll(async () => {
  ({ app } = await buildApp({ models: ALL_TASKS, rateLimits: { requestsPerMinute: 1e9, requestsPerDay: 1e9 } }));
});

describe('hostile bodies', () => {
  it('have names of their own', () => {
    expect(new Set(HOSTILE_BODIES.map(({ name }) => name)).size).toBe(HOSTILE_BODIES.length);
  });

  it.each(HOSTILE_BODIES)('$name: $status', { timeout: 60_000 }, async ({ path, contentType, body, status }) => {
    const sent = body();
    const started = process.cpuUsage();
    const request = { method: 'POST', headers: { 'content-type': contentType }, body: sent };
    const [answer, meanwhile] = await Promise.all([Promise.resolve(app.request(path, request)).then(read), chat(app)]);
    const { user, system } = process.cpuUsage(started);
    expect(answer.status).toBe(status);
    expect(answer.text.length).toBeLessThan(10_000);
    expect(meanwhile.status).toBe(200);
    expect((user + system) / 1e6).toBeLessThan(PATIENCE);
  });
});

describe('hostile recordings', () => {
  it.each(HOSTILE_RECORDINGS)('%s: heard as what they are, or refused', async (_, bytes) => {
    const started = process.cpuUsage();
    const heard = await decodeAudio(bytes).catch((error: unknown) => error);
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1e6).toBeLessThan(PATIENCE);
    const isHeard = heard instanceof Float32Array && heard.length < 100_000;
    expect(isHeard || (isInferenceError(heard) && heard.code === 'invalid_media')).toBe(true);
  });
});
