import { describe, expect, it } from 'vitest';
import type { Backend } from '../../../src/core/models/backend.js';
import type { CompatibilityName } from '../../../src/core/models/inference-options.js';
import { createInferenceFetch } from '../../../src/page/inference-fetch.js';
import { connectThrough } from '../../../src/relay/handshake.js';
import type { Connect } from '../../../src/relay/handshake.js';
import { relayRequest } from '../../../src/relay/stream/relay-request.js';
import { createVoiceModel } from '../../../src/sound/voice/create-voice-model.js';
import { speaker } from '../../service/http/support/models.js';
import { serveCall, type RequestHandler } from '../../../src/service/serve-call.js';
import { buildApp, scriptedChat } from '../../support/build-app.js';
import { streamedResponse } from '../../support/streamed-response.js';

const BASES = { origin: 'http://page.test', prefix: '/v1', intercept: ['https://api.openai.com/v1'] };
const noControl = () => {};

/** A page's fetch whose requests reach the handler through real ports; `kill` ends the gateway like a crash. */
function relay(handler: RequestHandler, compatibility: CompatibilityName = 'service') {
  const gatewayPorts: MessagePort[] = [];
  const network: string[] = [];
  const connect: Connect = (signal) =>
    connectThrough((port) => {
      gatewayPorts.push(port);
      void serveCall(port, { request: handler, control: noControl });
    }, signal);
  const networkFetch: typeof fetch = async (input) => {
    network.push(input instanceof Request ? input.url : input.toString());
    return new Response('from the network');
  };
  return {
    fetch: createInferenceFetch({ ...BASES, compatibility }, connect, networkFetch),
    network,
    kill: () => gatewayPorts.splice(0).forEach((port) => port.close()),
  };
}

function streamOf(
  start: (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => void,
  cancel?: () => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({ start, ...(cancel && { cancel }) });
}
const streamed = (body: ReadableStream<Uint8Array<ArrayBuffer>>): Response => streamedResponse(body, 'data: failed');
const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

describe('a relayed request', () => {
  it('[S25] whose caller leaves before the answer has begun cancels the body all the same', async () => {
    let cancelled = 0;
    let answer = (): void => {};
    let called = (): void => {};
    const controller = new AbortController();
    const { fetch } = relay(async () => {
      called();
      await new Promise<void>((resolve) => (answer = resolve));
      return new Response(
        streamOf(
          () => {},
          () => void (cancelled += 1),
        ),
      );
    });
    const reached = new Promise<void>((resolve) => (called = resolve));
    const left = fetch('http://page.test/v1/x', { signal: controller.signal }).catch((error: Error) => error.name);
    await reached;
    controller.abort();
    expect(await left).toBe('AbortError');
    await new Promise((resolve) => setTimeout(resolve, 20));
    answer();
    await expect.poll(() => cancelled).toBe(1);
  });

  it('arrives as it was sent', async () => {
    const { fetch } = relay(async (request) =>
      Response.json({
        url: request.url,
        method: request.method,
        authorization: request.headers.get('authorization'),
        body: await request.text(),
      }),
    );
    const response = await fetch('http://page.test/v1/chat/completions?x=1', {
      method: 'POST',
      headers: { authorization: 'Bearer key' },
      body: '{"ä":1}',
    });
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(response.url).toBe('http://page.test/v1/chat/completions?x=1');
    expect(await response.json()).toEqual({
      url: 'http://page.test/v1/chat/completions?x=1',
      method: 'POST',
      authorization: 'Bearer key',
      body: '{"ä":1}',
    });
  });

  it('takes forms, streams and Request objects', async () => {
    const { fetch } = relay(async (request) => {
      if (!request.headers.get('content-type')?.startsWith('multipart/')) return new Response(await request.text());
      const form = await request.formData();
      return new Response(`${form.get('model') as string} ${(form.get('file') as File).size}`);
    });
    const form = new FormData();
    form.set('model', 'm');
    form.set('file', new File([new Uint8Array(70_000)], 'a.wav'));
    expect(await (await fetch('http://page.test/v1/x', { method: 'POST', body: form })).text()).toBe('m 70000');
    const stream = streamOf((controller) => {
      controller.enqueue(bytes('one '));
      controller.enqueue(bytes('two'));
      controller.close();
    });
    expect(await (await fetch('http://page.test/v1/x', { method: 'POST', body: stream })).text()).toBe('one two');
    const request = new Request(new URL('http://page.test/v1/x'), { method: 'POST', body: 'ready' });
    expect(await (await fetch(request)).text()).toBe('ready');
  });

  it('[X21] answers intercepted bases and [X22] leaves everything else to the network', async () => {
    const { fetch, network } = relay((request) => new Response(request.url));
    expect(await (await fetch('https://api.openai.com/v1/models')).text()).toBe('http://page.test/v1/models');
    for (const url of [
      'http://page.test/v1x',
      'http://page.test/other',
      'https://api.openai.com/v2/models',
      'https://example.com/v1/models',
    ]) {
      expect(await (await fetch(url)).text()).toBe('from the network');
    }
    expect(network).toHaveLength(4);
  });

  it('is read whole also when its signal aborts after the answer, unless it streams', async () => {
    const controller = new AbortController();
    const { fetch } = relay((request) =>
      request.url.endsWith('/s') ? streamed(streamOf(() => {})) : new Response('all'),
    );
    const whole = await fetch('http://page.test/v1/x', { signal: controller.signal });
    const piecewise = await fetch('http://page.test/v1/s', { signal: controller.signal });
    controller.abort();
    expect(await whole.text()).toBe('all');
    await expect(piecewise.text()).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('keeps responses without a body bodiless', async () => {
    const { fetch } = relay(() => new Response(null, { status: 204, headers: { 'x-a': 'b' } }));
    const response = await fetch('http://page.test/v1/x', { method: 'DELETE' });
    expect([response.status, response.body, response.headers.get('x-a')]).toEqual([204, null, 'b']);
  });

  it('streams: each chunk arrives before the next is made', async () => {
    let next: (text: string) => void = () => {};
    const { fetch } = relay(() =>
      streamed(streamOf((controller) => (next = (text) => controller.enqueue(bytes(text))))),
    );
    const reader = (await fetch('http://page.test/v1/x')).body?.getReader();
    for (const text of ['a', 'b', 'c']) {
      next(text);
      expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(text);
    }
    await reader?.cancel();
  });
});

describe('cancelling a relayed request', () => {
  it('with bare sound as its body arrives while it is sent', async () => {
    let hear: (value: unknown) => void = () => {};
    const { fetch } = relay(async (request) => {
      const reader = request.body!.getReader();
      for (let count = 0; count < 2; count++) {
        const { value } = await reader.read();
        hear(value);
      }
      return new Response('heard');
    });
    let microphone!: ReadableStreamDefaultController<Uint8Array>;
    const body = streamOf((controller) => (microphone = controller));
    const answer = fetch('http://page.test/v1/x', { method: 'POST', headers: { 'content-type': 'audio/pcm' }, body });
    for (const text of ['one', 'two']) {
      const heard = new Promise((resolve) => (hear = resolve));
      microphone.enqueue(bytes(text));
      expect(await heard).toEqual(bytes(text));
    }
    expect(await (await answer).text()).toBe('heard');
  });

  it('with a body that was moved away is not sent to another gateway', async () => {
    let asked = 0;
    const { fetch, kill } = relay(async () => {
      asked += 1;
      kill();
      return new Promise<Response>(() => {});
    });
    const headers = { 'content-type': 'audio/pcm' };
    const answer = await fetch('http://page.test/v1/x', { method: 'POST', headers, body: streamOf(() => {}) });
    expect([answer.status, asked]).toEqual([503, 1]);
  });

  it('before it is sent rejects with the reason', async () => {
    const { fetch } = relay(() => new Response());
    const reason = new Error('no more');
    await expect(fetch('http://page.test/v1/x', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it('before the head rejects with AbortError and aborts the request of the handler', async () => {
    const controller = new AbortController();
    let aborted = (): void => {};
    const seen = new Promise<void>((resolve) => (aborted = resolve));
    const { fetch } = relay((request) => {
      request.signal.addEventListener('abort', () => aborted());
      setTimeout(() => controller.abort(), 10);
      return new Promise(() => {});
    });
    await expect(fetch('http://page.test/v1/x', { signal: controller.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
    await seen;
  });

  it.each(['signal', 'reader'] as const)(
    '[S25] while it streams, by %s, cancels the body at its source',
    async (way) => {
      const controller = new AbortController();
      let cancelled = (): void => {};
      const seen = new Promise<void>((resolve) => (cancelled = resolve));
      const { fetch } = relay(() =>
        streamed(
          streamOf(
            (source) => source.enqueue(bytes('a')),
            () => cancelled(),
          ),
        ),
      );
      const response = await fetch('http://page.test/v1/x', { signal: controller.signal });
      const reader = response.body?.getReader();
      await reader?.read();
      if (way === 'reader') await reader?.cancel();
      else controller.abort();
      await seen;
      const end = await reader?.read().catch((error: Error) => error.name);
      expect(end).toEqual(way === 'signal' ? 'AbortError' : { done: true, value: undefined });
    },
  );
});

it('a reader that leaves aborts nothing within its cancel, where WebKit cannot stand it', async () => {
  const connect: Connect = (signal) =>
    connectThrough((port) => {
      const request = () => streamed(streamOf((source) => source.enqueue(bytes('a'))));
      void serveCall(port, { request, control: noControl });
    }, signal);
  const payload = { url: 'http://page.test/v1/x', method: 'GET', headers: [], body: undefined };
  let isDone = false;
  const response = await relayRequest(payload, connect, {
    signal: new AbortController().signal,
    onDone: () => (isDone = true),
    compatibility: 'service',
    prefix: '/v1',
  });
  const left = response.body?.cancel();
  expect(isDone).toBe(false);
  await left;
  await expect.poll(() => isDone).toBe(true);
});

describe('an engine that dies', () => {
  it('[X17] [X24] before the head makes a 503', async () => {
    const { fetch, kill } = relay((_, begin) => {
      begin();
      setTimeout(kill, 10);
      return new Promise(() => {});
    });
    const response = await fetch('http://page.test/v1/x');
    expect([response.status, await response.text(), response.headers.get('retry-after')]).toEqual([
      503,
      'Service Temporarily Unavailable',
      '1',
    ]);
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.headers.has('request-id')).toBe(false);
  });

  it('[X24] before the head names the request as clients of /messages look for it', async () => {
    const { fetch, kill } = relay((_, begin) => {
      begin();
      setTimeout(kill, 10);
      return new Promise(() => {});
    });
    const { status, headers } = await fetch('http://page.test/v1/messages');
    expect(status).toBe(503);
    expect(headers.get('request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get('request-id')).toBe(headers.get('x-request-id'));
  });

  it('before a model works on the request leaves it to the next', async () => {
    const asked: string[] = [];
    const { fetch, kill } = relay(async (request) => {
      asked.push(await request.text());
      if (asked.length === 3) return Response.json({ answer: 'three' });
      setTimeout(kill, 10);
      return new Promise(() => {});
    });
    const response = await fetch('http://page.test/v1/x', { method: 'POST', body: 'again' });
    expect([response.status, await response.json()]).toEqual([200, { answer: 'three' }]);
    expect(asked).toEqual(['again', 'again', 'again']);
  });

  it('[X17] again and again before a model works on the request makes a 503', async () => {
    let asked = 0;
    const { fetch, kill } = relay(() => {
      asked += 1;
      setTimeout(kill, 10);
      return new Promise(() => {});
    });
    expect((await fetch('http://page.test/v1/x')).status).toBe(503);
    expect(asked).toBe(4);
  });

  it('leaves nothing to the next when its caller has left', async () => {
    let asked = 0;
    const leaving = new AbortController();
    const { fetch, kill } = relay(() => {
      asked += 1;
      setTimeout(() => (leaving.abort(), kill()), 10);
      return new Promise(() => {});
    });
    await expect(fetch('http://page.test/v1/x', { signal: leaving.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(asked).toBe(1);
  });

  it('[G06] before the head makes a JSON 503 where clients expect OpenAI’s', async () => {
    for (const [path, type] of [
      ['chat/completions', undefined],
      ['messages', 'error'],
      ['messages/count_tokens?beta=true', 'error'],
    ]) {
      const { fetch, kill } = relay((_, begin) => {
        begin();
        setTimeout(kill, 10);
        return new Promise(() => {});
      }, 'hosted');
      const response = await fetch(`http://page.test/v1/${path}`);
      expect([response.status, response.headers.get('content-type')]).toEqual([503, 'application/json']);
      const body: any = await response.json();
      expect([path, body.type, body.error.type]).toEqual([path, type, type ? 'api_error' : 'internal_error']);
      expect(body.request_id).toBe(response.headers.get('x-request-id'));
    }
  });

  it('[S24] while it streams ends the body with the failure tail', async () => {
    const { fetch, kill } = relay(() => {
      const body = streamOf((controller) => controller.enqueue(bytes('data: 1\n\n')));
      return streamedResponse(body, 'data: {"error":{}}\n\n');
    });
    const response = await fetch('http://page.test/v1/x');
    setTimeout(kill, 10);
    expect(await response.text()).toBe('data: 1\n\ndata: {"error":{}}\n\n');
  });

  it('[V14] while a file streams ends the body with an error', async () => {
    const { fetch, kill } = relay(() => streamedResponse(streamOf((controller) => controller.enqueue(bytes('RIFF')))));
    const response = await fetch('http://page.test/v1/x');
    setTimeout(kill, 10);
    await expect(response.arrayBuffer()).rejects.toThrow('The inference engine stopped');
  });

  it('[V14] before the first byte of a file leaves it to the next', async () => {
    let asked = 0;
    const { fetch, kill } = relay((_, begin) => {
      begin();
      if (++asked === 2) return streamedResponse(new Blob(['RIFF']).stream());
      setTimeout(kill, 10);
      return streamedResponse(streamOf(() => {}));
    });
    expect(await (await fetch('http://page.test/v1/x')).text()).toBe('RIFF');
  });

  it('[X17] between the head and the end of an answer that does not stream makes a 503', async () => {
    const { fetch, kill } = relay(() => {
      setTimeout(kill, 10);
      return new Response(streamOf((controller) => controller.enqueue(bytes('{"a":'))));
    });
    const response = await fetch('http://page.test/v1/x');
    expect([response.status, await response.text()]).toEqual([503, 'Service Temporarily Unavailable']);
  });
});

describe('an upload that breaks off', () => {
  const brokenOff = () => new ReadableStream({ pull: (controller) => controller.error(new Error('no more')) });

  it.each(['chat/completions', 'messages', 'audio/transcriptions'])('is a 400 to %s', async (path) => {
    const { app } = await buildApp({ models: [scriptedChat()] });
    const { fetch } = relay((request) => app.fetch(request));
    const response = await fetch(`http://page.test/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': path.startsWith('audio') ? 'multipart/form-data; boundary=x' : 'application/json' },
      body: brokenOff(),
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/broke off|multipart/);
  });
});

describe('the app through the relay', () => {
  it('[V06] sends the first sentences of a file while later ones are not begun', async () => {
    let begun = 0;
    let mayGoOn = (): void => {};
    const rest = new Promise<void>((resolve) => (mayGoOn = resolve));
    const engine = {
      sampleRate: 24_000,
      voices: [{ id: 'low', name: 'low', language: null }],
      countTokens: (text: string) => text.length,
      async speak() {
        if (++begun === 3) await rest;
        return new Float32Array(2400);
      },
    };
    const info = { contextLength: 4096, device: 'none', threads: 1 } as const;
    const backend: Backend = { load: async () => createVoiceModel(engine, { info, unload: async () => {} }) };
    const { app } = await buildApp({ models: [speaker], backends: { scripted: backend } });
    const { fetch } = relay((request) => app.fetch(request));
    const fields = { model: speaker.id, input: 'One. Two. Three. Four.', voice: 'low', response_format: 'pcm' };
    const response = await fetch('http://page.test/v1/audio/speech', { method: 'POST', body: JSON.stringify(fields) });
    const reader = response.body!.getReader();
    const { value } = await reader.read();
    expect(value!.length).toBeGreaterThan(0);
    expect(begun).toBeLessThan(4);
    mayGoOn();
    let length = value!.length;
    for (let step = await reader.read(); !step.done; step = await reader.read()) length += step.value.length;
    expect(length).toBe(4 * 2400 * 2);
  });

  it('[X20] gives the same answers as the app itself', async () => {
    const build = () => buildApp({ models: [scriptedChat()], createId: () => 'fixed', now: () => 0 });
    const [{ app }, { app: twin }] = await Promise.all([build(), build()]);
    const { fetch } = relay((request) => twin.fetch(request));
    const chat = (stream: boolean): RequestInit => ({
      method: 'POST',
      body: JSON.stringify({ model: 'scripted-chat', stream, messages: [{ role: 'user', content: 'Hi' }] }),
    });
    const requests: [string, RequestInit?][] = [
      ['models'],
      ['models/none'],
      ['nowhere'],
      ['chat/completions'],
      ['chat/completions', { method: 'POST', body: '{' }],
      ['chat/completions', chat(false)],
      ['chat/completions', chat(true)],
    ];
    for (const [path, init] of requests) {
      const direct = await app.fetch(new Request(`http://page.test/v1/${path}`, init));
      const relayed = await fetch(`http://page.test/v1/${path}`, init);
      expect([relayed.status, [...relayed.headers]]).toEqual([direct.status, [...direct.headers]]);
      expect(withoutVariables(await relayed.text())).toBe(withoutVariables(await direct.text()));
    }
  });
});

/** Ids and measured times differ between any two requests, and rates need two different times. */
function withoutVariables(text: string): string {
  return text
    .replace(/"(id|request_id)":"[^"]*"/g, '"$1":"*"')
    .replace(/"(created|[a-z_]*(time|latency|per_sec)[a-z_]*)":[\d.e-]+,?/g, '');
}
