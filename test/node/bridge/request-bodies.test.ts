import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { announcedBody, RequestBodies } from '../../../src/node/bridge/request-bodies.js';

const LIMIT = 40 * 1024 * 1024;

describe('bodies that a page fetches', () => {
  const bodies = new RequestBodies();
  let server: Server;
  /** Paths of the bodies that were offered, the last first. */
  const offered: string[] = [];
  const announced: string[] = [];
  beforeAll(async () => {
    server = createServer((asked, response) => {
      if (asked.method === 'POST') {
        announced.unshift(announcedBody(asked));
        offered.unshift(bodies.offer(asked));
        asked.once('close', () => response.destroy());
        return;
      }
      bodies
        .send(asked.url!, response)
        .then((isThere) => isThere || response.writeHead(404).end())
        .catch(() => response.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const url = (path: string): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const post = (headers: Record<string, string> = {}): ReturnType<typeof request> => {
    const sent = request(url('/'), { method: 'POST', headers });
    sent.on('error', () => {});
    sent.flushHeaders();
    return sent;
  };
  const nextOffer = async (count: number): Promise<string> => {
    await expect.poll(() => offered.length).toBe(count);
    return offered[0]!;
  };

  it('come in pieces as they are sent, once, at an address that nobody can guess', async () => {
    const upload = post();
    const path = await nextOffer(1);
    expect(path).toMatch(/^\/inpage\/bodies\/[\da-f-]{36}$/);
    const fetched = await fetch(url(path));
    const reader = fetched.body!.getReader();
    upload.write('first');
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('first');
    upload.end('second');
    expect(Buffer.from((await reader.read()).value!).toString()).toBe('second');
    expect((await reader.read()).done).toBe(true);
    expect((await fetch(url(path))).status).toBe(404);
    expect(announced[0]).toBe('some');
  });

  it('end behind the limit, whatever still comes', async () => {
    const upload = post();
    const path = await nextOffer(2);
    const fetched = fetch(url(path));
    for (let sent = 0; sent < LIMIT + 2 ** 20; sent += 2 ** 20) upload.write(Buffer.alloc(2 ** 20));
    const { byteLength } = await (await fetched).arrayBuffer();
    expect(byteLength).toBeGreaterThan(LIMIT);
    upload.destroy();
  });

  it('break off where their sender does', async () => {
    const upload = post({ 'content-length': '1000' });
    const path = await nextOffer(3);
    const fetched = await fetch(url(path));
    upload.write('x');
    upload.destroy();
    await expect(fetched.arrayBuffer()).rejects.toThrow(TypeError);
  });

  it('say how long they are', async () => {
    for (const [length, kind] of [
      ['0', 'none'],
      [String(LIMIT), 'some'],
      [String(LIMIT + 1), 'too-large'],
    ] as const) {
      const before = announced.length;
      const upload = post({ 'content-length': length });
      await expect.poll(() => announced.length).toBe(before + 1);
      expect(announced[0]).toBe(kind);
      upload.destroy();
    }
  });
});
