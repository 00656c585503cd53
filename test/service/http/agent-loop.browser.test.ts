/** An agent's session with the bundled chat model: each turn reads only what is new. */
import { expect, it } from 'vitest';
import { buildApp } from '../../support/build-app.js';
import { post, postJson } from '../../support/http-client.js';
import { readSomeEvents } from '../../support/read-events.js';
import { loadTinyChat } from '../../engines/transformers/support/tiny-chat.js';

const TURNS = 10;
/** The user interrupts the answers of these turns, and the agent asks again. */
const LEFT = [3, 7];
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

it('finds what the turns before have read, also after answers that were left', async () => {
  const backends = { transformers: { load: () => loadTinyChat('/inpage/') } };
  const models = [{ id: 'tiny-chat', task: 'chat', backend: 'transformers', source: '/models/tiny-chat' } as const];
  const { app, inference } = await buildApp({ models, backends, compatibility: 'hosted', requestTimeout: 100 });
  const idle = async (): Promise<void> => {
    await expect.poll(() => inference.status()).toMatchObject([{ state: 'ready', queued: 0 }]);
  };
  const input: object[] = [{ role: 'user', content: 'How is the weather in Paris?' }];
  const request = {
    model: 'tiny-chat',
    store: false,
    tools: [{ type: 'function', name: 'get_weather', parameters }],
    tool_choice: 'required',
    max_output_tokens: 60,
  };
  const read: { all: number; known: number }[] = [];
  for (let turn = 1; turn <= TURNS; turn++) {
    if (LEFT.includes(turn)) {
      await readSomeEvents(await post(app, '/responses', { ...request, input, stream: true }), 4);
      await idle();
    }
    const answer = await postJson(app, '/responses', { ...request, input });
    expect(answer).toMatchObject({ status: 200, body: { status: 'completed' } });
    const { output, usage } = answer.body;
    read.push({ all: usage.input_tokens, known: usage.input_tokens_details.cached_tokens });
    input.push(...output, { type: 'function_call_output', call_id: output[0].call_id, output: `${turn} degrees` });
  }
  expect(read[0]!.known).toBe(0);
  const missed = read.filter(({ known }, index) => index > 0 && known < read[index - 1]!.all);
  expect(missed).toEqual([]);
  await idle();
});
