import { describe, expect, it } from 'vitest';
import { matchRoute } from '../../src/relay/match-route.js';

const ORIGIN = 'https://app.example';

function paramsOf(key: string, method: string, address: string): Record<string, string> | undefined {
  const match = matchRoute([key], { method, url: new URL(address, ORIGIN).href }, ORIGIN);
  return match && { ...match.groups };
}

describe('[U02] a key', () => {
  it.each<[key: string, method: string, address: string, params: Record<string, string> | undefined]>([
    ['POST /api/chat', 'POST', '/api/chat', {}],
    ['POST /api/chat', 'POST', '/api/chat?stream=1#top', {}],
    ['POST /api/chat', 'GET', '/api/chat', undefined],
    ['POST /api/chat', 'POST', '/api/chat/', undefined],
    ['POST /api/chat/', 'POST', '/api/chat', undefined],
    ['POST /api/chat', 'POST', '/api', undefined],
    ['/api/chat', 'DELETE', '/api/chat', {}],
    ['/api/chat', 'TRACE', '/api/chat', undefined],
    ['GET /api/:id', 'GET', '/api/7', { id: '7' }],
    ['GET /api/:id', 'GET', '/api/a%20b%2Fc', { id: 'a%20b%2Fc' }],
    ['GET /api/:id', 'GET', '/api/%E0%A4%A', { id: '%E0%A4%A' }],
    ['GET /api/:id', 'GET', '/api/', undefined],
    ['GET /api/:id', 'GET', '/api/7/8', undefined],
    ['GET /:a/x/:b', 'GET', '/1/x/2', { a: '1', b: '2' }],
    ['GET /api/*', 'GET', '/api/', { $: '' }],
    ['GET /api/*', 'GET', '/api/a/b/', { $: 'a/b/' }],
    ['GET /api/*', 'GET', '/api', undefined],
    ['GET /api/*', 'GET', '/apix', undefined],
    ['GET /über', 'GET', '/über', {}],
    ['GET /a.b+c(d)', 'GET', '/a.b+c(d)', {}],
    ['GET /a.b', 'GET', '/axb', undefined],
    ['GET http://localhost:3000/:a', 'GET', 'http://localhost:3000/1', { a: '1' }],
    ['POST https://api.example.com/v1/ai/*', 'POST', 'https://api.example.com/v1/ai/x', { $: 'x' }],
    ['POST https://api.example.com/v1', 'POST', '/v1', undefined],
    ['POST /v1', 'POST', 'https://api.example.com/v1', undefined],
    ['GET //double', 'GET', 'https://app.example//double', {}],
  ])('%s and %s %s', (key, method, address, params) => {
    expect(paramsOf(key, method, address)).toEqual(params);
  });

  it('is the first that fits', () => {
    const keys = ['GET /a/:x', 'GET /a/b', '/a/*'];
    const keyOf = (method: string, path: string): string | undefined =>
      matchRoute(keys, { method, url: ORIGIN + path }, ORIGIN)?.key;
    expect(keyOf('GET', '/a/b')).toBe('GET /a/:x');
    expect(keyOf('PUT', '/a/b')).toBe('/a/*');
    expect(keyOf('PUT', '/b')).toBeUndefined();
  });
});

it('[U04] a GET route fits HEAD too, no other method', () => {
  expect(paramsOf('GET /a', 'HEAD', '/a')).toEqual({});
  expect(paramsOf('HEAD /a', 'GET', '/a')).toBeUndefined();
});
