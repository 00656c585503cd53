import { expect, it } from 'vitest';
import { assetURL } from '../../../src/core/platform/asset-url.js';

const page = { origin: 'https://app.example' };

it.each([
  ['a whole URL', 'https://cdn.example/a.wasm', 'https://app.example/assets/chunk.js', 'https://cdn.example/a.wasm'],
  [
    'a path on the server',
    '/assets/a.wasm',
    'https://app.example/assets/chunk.js',
    'https://app.example/assets/a.wasm',
  ],
  ['a path beside the module', './a.wasm', 'https://app.example/assets/chunk.js', 'https://app.example/assets/a.wasm'],
  // As Turbopack writes both.
  [
    'a path and a place on the disk',
    '/_next/static/a.wasm',
    'file:///ROOT/chunk.js',
    'https://app.example/_next/static/a.wasm',
  ],
])('finds %s', (_, address, moduleURL, expected) => {
  expect(assetURL(address, moduleURL, page).href).toBe(expected);
});

it.each([
  ['in Node', undefined],
  ['in a thread of Node', new URL('file:///package/dist/model-worker.js')],
])('finds files beside the module %s', (_, here) => {
  expect(assetURL('./a.wasm', 'file:///package/dist/chunk.js', here).href).toBe('file:///package/dist/a.wasm');
  expect(assetURL('file:///other/a.wasm', 'file:///package/dist/chunk.js', here).href).toBe('file:///other/a.wasm');
});
