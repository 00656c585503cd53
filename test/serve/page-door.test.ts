import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { settledWithin } from '../../src/core/platform/settled-within.js';
import { PageDoor } from '../../src/serve/page-door.js';

const ORIGIN = 'http://localhost:8080';

describe('where the page of a server connects', () => {
  const sockets: Socket[] = [];
  let door: PageDoor;
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    door.close();
  });

  /** The first line of the answer. */
  async function knock(url: string, origin = ORIGIN): Promise<string> {
    const { hostname, port, pathname } = new URL(url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.on('error', () => {});
    socket.write(
      `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nOrigin: ${origin}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\n\r\n`,
    );
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    return bytes.toString().split('\r\n', 1)[0]!;
  }

  it('takes one connection, of the page that knows its address', async () => {
    door = new PageDoor(ORIGIN);
    const expected = await door.expect();
    expect(new URL(expected.url).hostname).toBe('127.0.0.1');
    expect(await knock(new URL('/', expected.url).href)).toMatch(/ 404 /);
    expect(await knock(expected.url, 'https://evil.example')).toMatch(/ 403 /);
    expect(await settledWithin(expected.connected, 0)).toBeUndefined();
    expect(await knock(expected.url)).toMatch(/ 101 /);
    const channel = await expected.connected;
    expect(await knock(expected.url)).toMatch(/ 404 /);
    expect(channel.closed.aborted).toBe(false);
    sockets[2]!.destroy();
    await expect.poll(() => channel.closed.aborted).toBe(true);
  });

  it('expects a page no longer when it is told so', async () => {
    door = new PageDoor(ORIGIN);
    const [first, second] = [await door.expect(), await door.expect()];
    expect(first.url).not.toBe(second.url);
    first.end();
    expect(await knock(first.url)).toMatch(/ 404 /);
    expect(await knock(second.url)).toMatch(/ 101 /);
  });

  it('answers nothing else', async () => {
    door = new PageDoor(ORIGIN);
    const { url } = await door.expect();
    expect((await fetch(url.replace(/^ws/, 'http'))).status).toBe(404);
  });
});
