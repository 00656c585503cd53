import type { Request } from 'playwright';
import { expect, it } from 'vitest';
import { isKnownHost } from '../../../src/serve/http/known-hosts.js';
import { blockedMessage } from '../../../src/testing/playwright/guard-hosts.js';

it.each([
  ['api.openai.com', true],
  ['mine.openai.azure.com', true],
  ['europe-west1-aiplatform.googleapis.com', true],
  ['bedrock-runtime.us-east-1.amazonaws.com', true],
  ['openrouter.ai', true],
  ['openai.com', false],
  ['api.openai.com.example.org', false],
  ['example.org', false],
])('%s is a known API: %s', (host, isKnown) => {
  expect(isKnownHost(host)).toBe(isKnown);
});

it.each([
  ['https://api.openai.com/v1/chat/completions', 'https://api.openai.com/v1'],
  ['https://openrouter.ai/api/v1/models?x=secret', 'https://openrouter.ai/api/v1'],
  [
    'https://generativelanguage.googleapis.com/v1beta/openai/models',
    'https://generativelanguage.googleapis.com/v1beta',
  ],
  ['https://api.cohere.com/', 'https://api.cohere.com'],
])('of %s, the base to intercept is %s', (url, base) => {
  const message = blockedMessage([{ url: () => url } as Request]);
  expect(message).toContain(`Add '${base}' to`);
  expect(message).not.toContain('secret');
});
