import { describe, expect, it } from 'vitest';
import { DEFAULT_MODELS } from '../../src/core/models/default-catalog.js';
import { checkOptionNames } from '../../src/page/check-option-names.js';
import type { InferenceOptions } from '../../src/page/start-options.js';

const ENTRY = { id: 'a', task: 'chat', backend: 'scripted' };
const script = (reply: object): object => ({ models: [{ ...ENTRY, script: { replies: [reply] } }] });

describe('checkOptionNames', () => {
  it.each<[object, string, string]>([
    [{ model: [] }, 'model', 'models'],
    [{ ServiceWorker: false }, 'ServiceWorker', 'serviceWorker'],
    [{ models: [ENTRY, { ...ENTRY, sorce: '' }] }, 'models.1.sorce', 'source'],
    [{ models: [{ ...ENTRY, dType: 'q4' }] }, 'models.0.dType', 'dtype'],
    [{ models: [{ ...ENTRY, metadata: { licence: 'MIT' } }] }, 'models.0.metadata.licence', 'license'],
    [{ models: [{ ...ENTRY, pricing: { promt: 1 } }] }, 'models.0.pricing.promt', 'prompt'],
    [{ models: [{ ...ENTRY, script: { tokenDelay: 1 } }] }, 'models.0.script.tokenDelay', 'tokenDelayMs'],
    [script({ txt: 'Hi' }), 'models.0.script.replies.0.txt', 'text'],
    [script({ toolCalls: [{ nam: 'f' }] }), 'models.0.script.replies.0.toolCalls.0.nam', 'name'],
    [{ apiKeys: ['a', { key: 'b', revokd: true }] }, 'apiKeys.1.revokd', 'revoked'],
    [{ rateLimits: { requestPerMinute: 1 } }, 'rateLimits.requestPerMinute', 'requestsPerMinute'],
  ])('refuses %j: %s, and names %s', (options, param, nearest) => {
    expect(() => checkOptionNames(options)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        param,
        message: expect.stringContaining(`Did you mean \`${nearest}\`?`) as string,
      }) as Error,
    );
  });

  it('takes everything that there is, and leaves values of a wrong kind to others', () => {
    const whole: InferenceOptions = {
      models: DEFAULT_MODELS,
      apiKeys: ['a', { key: 'b' }],
      prefix: '/v1',
      intercept: [],
    };
    expect(() => checkOptionNames(whole)).not.toThrow();
    for (const options of [null, 5, 'a', { models: 5 }, { models: [null, 5] }, { rateLimits: null }]) {
      expect(() => checkOptionNames(options as never)).not.toThrow();
    }
  });
});
