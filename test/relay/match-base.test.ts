import { describe, expect, it } from 'vitest';
import { matchBase } from '../../src/relay/match-base.js';

const BASES = {
  origin: 'https://app.test',
  prefix: '/v1',
  intercept: ['https://api.openai.com/v1', 'https://host.test'],
};
const match = (url: string): string | undefined => matchBase(new URL(url), BASES);

describe('matchBase', () => {
  it.each([
    ['https://app.test/v1', 'https://app.test/v1'],
    ['https://app.test/v1/models?verbose=true', 'https://app.test/v1/models?verbose=true'],
    ['https://app.test/v1/models#here', 'https://app.test/v1/models'],
    ['https://app.test/x/../v1/models', 'https://app.test/v1/models'],
  ])('[X19] takes %s below the prefix', (url, target) => expect(match(url)).toBe(target));

  it.each([
    ['https://api.openai.com/v1/chat/completions', 'https://app.test/v1/chat/completions'],
    ['https://host.test/messages', 'https://app.test/v1/messages'],
    ['https://host.test/', 'https://app.test/v1/'],
  ])('[X21] maps %s onto the prefix', (url, target) => expect(match(url)).toBe(target));

  it.each([
    'https://app.test/',
    'https://app.test/v1x',
    'https://app.test/v1.js',
    'https://app.test/v10/models',
    'https://app.test/api/v1/models',
    'https://app.test/V1/models',
    'http://app.test/v1/models',
    'https://app.test:8443/v1/models',
    'https://sub.app.test/v1/models',
    'https://api.openai.com/v2/models',
    'https://api.openai.com.evil.test/v1/models',
  ])('[X22] leaves %s alone', (url) => expect(match(url)).toBeUndefined());
});
