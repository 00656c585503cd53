/** Readers that split a stream at every line end that Unicode has. */
import { expect, it } from 'vitest';
import { buildApp, scriptedChat } from '../../support/build-app.js';
import { parseEvents } from '../../support/read-events.js';
import { post } from './support/call.js';

const TEXT = 'a\u2028b\u2029c\u0085d\ve\ff\u001cg';
// oxlint-disable-next-line no-control-regex -- Python and others count these as line ends
const UNICODE_LINE_ENDS = /[\v\f\r\u001c-\u001e\u0085\u2028\u2029]/;
const call = { name: 'look', arguments: { at: TEXT } };
const fn = { name: 'look', parameters: { type: 'object', properties: { at: { type: 'string' } } } };
const messages = [{ role: 'user', content: 'Hi' }];

it.each([
  ['/v1/chat/completions', { messages, tools: [{ type: 'function', function: fn }] }],
  ['/v1/completions', { prompt: 'Hi' }],
  ['/v1/messages', { messages, max_tokens: 99, tools: [{ name: 'look', input_schema: fn.parameters }] }],
  ['/v1/responses', { input: 'Hi', tools: [{ type: 'function', ...fn }] }],
  ['/v1/api/chat', { messages }],
])('[Y37] stand as escapes in events of %s', async (path, body) => {
  const isText = path.endsWith('/completions') && !path.includes('chat');
  const replies = [{ text: TEXT, reasoning: TEXT, ...(!isText && !path.includes('api') && { toolCalls: [call] }) }];
  const { app } = await buildApp({ models: [scriptedChat({ script: { replies } })], compatibility: 'hosted' });
  const { status, text } = await post(app, path, { model: 'scripted-chat', stream: true, ...body });
  expect(status).toBe(200);
  expect(text).not.toMatch(UNICODE_LINE_ENDS);
  expect(text).toContain('\\u2028');
  expect(text).toContain('\\u0085');
  const sent = path.includes('api') ? text : parseEvents(text).map(({ data }) => data);
  expect([sent].flat().join('')).toContain('\\u2029');
});
