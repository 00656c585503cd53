import { expect, it } from 'vitest';
import { isAskable } from '../../src/extension/judge-origin.js';

it.each([
  'https://a.test',
  'https://a.test:8443',
  'http://localhost:5173',
  'http://a.localhost',
  'http://127.0.0.1',
  'http://[::1]:80',
])('the person is asked about %s', (origin) => expect(isAskable(origin)).toBe(true));

it.each([
  undefined,
  'null',
  '',
  'http://a.test',
  'http://localhost.test',
  'http://127.0.0.1.test',
  'file://',
  'chrome-extension://abc',
])('nobody is asked about %s', (origin) => expect(isAskable(origin)).toBe(false));
