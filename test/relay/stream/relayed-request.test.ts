import { describe, expect, it } from 'vitest';
import { RelayedRequest } from '../../../src/relay/stream/relayed-request.js';

const { signal } = new AbortController();

function relayed(body: string | undefined, type = 'application/json', stream?: ReadableStream): RelayedRequest {
  const sent = body === 'broken' ? 'broken' : body === undefined ? undefined : new TextEncoder().encode(body).buffer;
  const payload = { url: 'http://page.test/v1/x', method: 'POST', body: sent } as const;
  return RelayedRequest.of({ ...payload, headers: [['content-type', type]], stream: stream && [stream] }, signal);
}

describe('a relayed request is read as any other', () => {
  const FORM = '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n';

  it('whole, and once', async () => {
    expect(await relayed('{"a":1}').json()).toEqual({ a: 1 });
    expect(await relayed('text').text()).toBe('text');
    expect(new TextDecoder().decode(await relayed('text').arrayBuffer())).toBe('text');
    expect(new TextDecoder().decode(await relayed('text').bytes())).toBe('text');
    expect(await (await relayed('text').blob()).text()).toBe('text');
    expect((await relayed(FORM, 'multipart/form-data; boundary=b').formData()).get('a')).toBe('1');
    const once = relayed('text');
    await once.text();
    expect(once.bodyUsed).toBe(true);
    await expect(once.text()).rejects.toThrow(TypeError);
  });

  it('by a clone too, whose body is the same', async () => {
    const request = relayed('{"a":1}');
    const clone = request.clone();
    expect([clone.url, clone.method, clone.headers.get('content-type'), clone.signal]).toEqual([
      request.url,
      'POST',
      'application/json',
      signal,
    ]);
    expect([await clone.json(), await request.json()]).toEqual([{ a: 1 }, { a: 1 }]);
    const form = relayed(FORM, 'multipart/form-data; boundary=b').clone();
    expect((await form.formData()).get('a')).toBe('1');
    const streamed = relayed(undefined, 'audio/pcm', new Blob(['live']).stream());
    expect([await streamed.clone().text(), await streamed.text()]).toEqual(['live', 'live']);
  });

  it('without a body, and with one that broke off', async () => {
    const empty = relayed(undefined);
    expect([empty.body, await empty.text()]).toEqual([null, '']);
    await expect(relayed('broken').text()).rejects.toThrow('broke off');
  });
});
