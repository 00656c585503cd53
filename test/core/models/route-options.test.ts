import { describe, expect, it } from 'vitest';
import { parseOptions } from '../../../src/core/models/option-schema.js';
import { INFERENCE_OPTIONS } from '../../../src/core/models/inference-options.js';

const handler = (): Response => new Response('');
const check = (routes: unknown): unknown => parseOptions(INFERENCE_OPTIONS, { routes });

describe('[U03]', () => {
  it.each([
    'POST /api/chat',
    '/api/chat',
    'GET /',
    'DELETE /a/:id',
    'GET /*',
    'OPTIONS https://api.example.com/v1/ai/*',
    'HEAD http://localhost:3000/x/:y_1/z',
    `GET /${'a'.repeat(195)}`,
  ])('%s is a key', (key) => {
    expect(() => check({ [key]: handler })).not.toThrow();
  });

  it.each([
    'post /api/chat',
    'POST api/chat',
    'POST  /api/chat',
    'POST/api/chat',
    'TRACE /api',
    'GET /a*',
    'GET /*/a',
    'GET /a/*b',
    'GET /a?b=c',
    'GET /a#b',
    'GET /a b',
    'GET *',
    'GET https://api.example.com',
    'GET https://api example.com/x',
    'GET /:',
    'GET /:1',
    'GET /:a/:a',
    '',
    `GET /${'a'.repeat(196)}`,
  ])('%s is none', (key) => {
    expect(() => check({ [key]: handler })).toThrow(
      expect.objectContaining({ code: 'invalid_request', details: { param: `routes.${key}` } }),
    );
  });

  it('a handler is a function', () => {
    expect(() => check({ 'GET /a': 'text' })).toThrow(expect.objectContaining({ details: { param: 'routes.GET /a' } }));
    expect(() => check([])).toThrow(expect.objectContaining({ details: { param: 'routes' } }));
  });

  it('64 routes are the most', () => {
    const routes = (count: number): object =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`GET /${index}`, handler]));
    expect(() => check(routes(64))).not.toThrow();
    expect(() => check(routes(65))).toThrow(expect.objectContaining({ details: { param: 'routes' } }));
  });
});
