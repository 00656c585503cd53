/** Counting the tokens of a response, and shortening a conversation. */
import { describe, expect, it } from 'vitest';
import type { App } from '../../../../src/service/http/app.js';
import type { CompatibilityName } from '../../../../src/core/models/inference-options.js';
import { buildApp, scriptedChat } from '../../../support/build-app.js';
import { recordingBackend } from '../../../support/recording-backend.js';
import { post } from '../support/call.js';

const MODES: CompatibilityName[] = ['service', 'hosted'];
const SUMMARY = 'The user wants a harbour. The file harbour.ts was made.';

const recording = recordingBackend();
async function build(compatibility: CompatibilityName, contextLength = 4000): Promise<App> {
  const script = { replies: [{ match: 'Summarize this conversation', text: SUMMARY }, { text: 'Yes.' }] };
  const models = [scriptedChat({ script, contextLength })];
  return (await buildApp({ models, compatibility, backends: { scripted: recording.backend } })).app;
}

const asks = (fields: object): object => ({ model: 'scripted-chat', ...fields });
const user = (text: string): object => ({ role: 'user', content: text });
const said = (text: string): object => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
});

const CONVERSATION = [
  user('Build a harbour.\n  With "quotes". '),
  said('I look. '.repeat(60)),
  { type: 'function_call', call_id: 'c', name: 'write', arguments: '{"path":"harbour.ts"}' },
  { type: 'function_call_output', call_id: 'c', output: 'written '.repeat(80) },
  { role: 'user', content: [{ type: 'input_text', text: 'Is it done?' }] },
];

/** A request of growing size, with and without tools, instructions and parts. */
function bodyOf(number: number): object {
  const tools = [{ type: 'function', name: 'look', parameters: { type: 'object', properties: { at: {} } } }];
  return asks({
    input: number % 3 === 0 ? 'word '.repeat(number + 1) : [user('a '.repeat(number + 1)), said('b'), user('c')],
    ...(number % 2 === 0 && { instructions: `Be brief, ${number} times.` }),
    ...(number % 4 === 0 && { tools }),
    ...(number % 8 === 0 && { tool_choice: 'none' }),
    ...(number % 5 === 0 && { reasoning: { effort: 'high' } }),
  });
}

describe.each(MODES)('%s', (mode) => {
  it('[R35] the count equals usage.input_tokens in 50 of 50 requests', async () => {
    const app = await build(mode);
    for (let number = 0; number < 50; number++) {
      const counted = await post(app, '/v1/responses/input_tokens', bodyOf(number));
      const { json } = await post(app, '/v1/responses', bodyOf(number));
      expect(counted.json).toEqual({ object: 'response.input_tokens', input_tokens: json.usage.input_tokens });
    }
  });

  it('[R35] the body is checked as that of a response is', async () => {
    const app = await build(mode);
    for (const body of [
      {},
      asks({}),
      asks({ input: 5 }),
      asks({ input: 'a', temperature: 9 }),
      asks({ input: 'a', background: true }),
    ]) {
      const [counted, answered] = [
        await post(app, '/v1/responses/input_tokens', body),
        await post(app, '/v1/responses', body),
      ];
      expect([counted.status, counted.json.error]).toEqual([400, answered.json.error]);
    }
    const unknown = await post(app, '/v1/responses/input_tokens', { model: 'nobody', input: 'a' });
    expect(unknown.status).toBe(404);
    const wrong = await app.request('/v1/responses/input_tokens');
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('[R36] what the user said stays, the rest becomes one summary that goes back in', async () => {
    const app = await build(mode);
    const { status, json } = await post(app, '/v1/responses/compact', asks({ input: CONVERSATION }));
    expect({ status, json }).toMatchObject({ status: 200, json: { object: 'response.compaction' } });
    expect(json.created_at).toBeGreaterThan(0);
    expect(json.output.map(({ type }: any) => type)).toEqual(['message', 'message', 'compaction']);
    expect(json.output.slice(0, 2).map(({ role, content }: any) => [role, content[0].text])).toEqual([
      ['user', 'Build a harbour.\n  With "quotes". '],
      ['user', 'Is it done?'],
    ]);
    expect(json.usage.total_tokens).toBe(json.usage.input_tokens + json.usage.output_tokens);
    expect(json.usage.output_tokens).toBeGreaterThan(5);

    const count = async (input: unknown): Promise<number> =>
      (await post(app, '/v1/responses/input_tokens', asks({ input }))).json.input_tokens;
    expect(await count(json.output)).toBeLessThan(await count(CONVERSATION));
    recording.requests.length = 0;
    const answered = await post(app, '/v1/responses', asks({ input: [...json.output, user('Go on.')] }));
    expect(answered.status).toBe(200);
    expect(JSON.stringify(recording.requests[0]!.prompt).split(SUMMARY)).toHaveLength(2);

    const again = await post(app, '/v1/responses/compact', asks({ input: [...json.output, said('x'), user('More.')] }));
    expect(again.json.output.map(({ type }: any) => type)).toEqual(['message', 'message', 'message', 'compaction']);
  });

  it('[R36] a conversation that does not fit is refused', async () => {
    const app = await build(mode, 60);
    const { status, json } = await post(app, '/v1/responses/compact', asks({ input: CONVERSATION }));
    expect([status, json.error.code]).toEqual([400, 'context_length_exceeded']);
  });
});

it('[R36] a compaction of another service is refused by the specification', async () => {
  const input = [{ type: 'compaction', encrypted_content: 'gAAAA' }, user('Hi')];
  const { status, json } = await post(await build('service'), '/v1/responses', asks({ input }));
  expect([status, json.error.param]).toEqual([400, 'input.0.encrypted_content']);
});
