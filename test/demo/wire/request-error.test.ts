/** What the playground shows of a request that was refused. */
import { expect, it } from 'vitest';
import { requestError } from '../../../demo/wire/request-error.js';

const REASON = 'The model `a` could not be loaded. Check `source`. 100%25';

it.each([
  ['a plain sentence that says nothing', 'Service Temporarily Unavailable', REASON, 'Check `source`. 100%'],
  ['the same as JSON', '{"error":{"message":"Service Temporarily Unavailable."}}', REASON, 'Check `source`. 100%'],
  ['JSON that says why', '{"error":{"message":"Too long.","param":"messages"}}', REASON, 'Too long.'],
  ['an error that is a text', '{"error":"Not found."}', null, 'Not found.'],
  ['a sentence without a header', 'The key was revoked.', null, 'The key was revoked.'],
  ['nothing at all', '', null, 'HTTP 503'],
])('%s', (_, body, reason, shown) => {
  expect(requestError(body, 503, reason).message).toContain(shown);
});

it('names the field', () => {
  expect(requestError('{"error":{"message":"Too long.","param":"messages"}}', 400).param).toBe('messages');
});
