import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { isLoopbackHost, isLoopbackOrigin, resolveTarget } from '../../../src/serve/http/local-request.js';

const ORIGIN = 'http://localhost:8080';
const target = (url: string): string | undefined => resolveTarget({ url } as IncomingMessage, ORIGIN)?.href;

describe('the address of a request line', () => {
  it.each([
    ['/v1/models?a=b', '/v1/models?a=b'],
    ['http://evil.example/v1/models', '/v1/models'],
    // A path that a proxy has let through as it is must not become one that it refuses.
    ['//evil.example/v1/models', '//evil.example/v1/models'],
    ['//localhost:8080/v1/models', '//localhost:8080/v1/models'],
    ['//[/v1', '//[/v1'],
    ['/\\evil.example/v1', '//evil.example/v1'],
    ['/v1/../health', '/health'],
    ['*', '/*'],
  ])('%s is %s of this server', (url, path) => {
    expect(target(url)).toBe(ORIGIN + path);
  });

  it.each(['http://[', 'http://:x'])('%s is none', (url) => {
    expect(target(url)).toBeUndefined();
  });
});

describe('hosts of this machine', () => {
  it.each([
    'localhost',
    'LocalHost:80',
    'localhost.',
    'localhost.:8080',
    'app.localhost',
    'A.b-c.LOCALHOST.:1',
    'localhost:',
    '127.0.0.1:8080',
    '[::1]:8080',
  ])('[Y38] %s is one', (host) => {
    expect([isLoopbackHost(host), isLoopbackOrigin(`http://${host}`)]).toEqual([true, true]);
  });

  it.each([
    '',
    'localhost.evil.example',
    'evil-localhost',
    'notlocalhost',
    '.localhost',
    'a..localhost',
    'localhost..',
    'localhost:x',
    'localhost:123456',
    'localhost@evil.example',
    'a/b.localhost',
    '127.0.0.1.',
    'evil.example#.localhost',
  ])('[Y38] %j is none', (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  });
});
