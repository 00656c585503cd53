/** A coding agent's session: ten turns with calls, two of them left in mid-answer and taken up again. */
import { expect, it } from 'vitest';
import { buildApp, scriptedChat } from '../../support/build-app.js';
import { post as send } from '../../support/http-client.js';
import { readSomeEvents } from '../../support/read-events.js';
import { post } from './support/call.js';

const TURNS = 10;
/** The user interrupts the answers to the results of these turns. */
const LEFT = [3, 7];

const resultOf = (turn: number) => `Result ${turn}.`;
const goOn = (turn: number) => `Go on after ${turn}.`;
const call = (turn: number) => ({ toolCalls: [{ name: 'look', arguments: { turn } }] });
const SCRIPT = {
  replies: [
    { match: resultOf(TURNS - 1), text: 'Done.' },
    // Undisturbed, each would take 16 seconds.
    ...LEFT.map((turn) => ({ match: resultOf(turn), text: 'word ', repeat: 8000 })),
    ...Array.from({ length: TURNS }, (_, turn) => ({ match: resultOf(turn), ...call(turn + 1) })),
    ...LEFT.map((turn) => ({ match: goOn(turn), ...call(turn + 1) })),
    call(1),
  ],
  tokenDelayMs: 2,
};

const parameters = { type: 'object', properties: { turn: { type: 'integer' } }, required: ['turn'] };
const LOOK = { name: 'look', description: 'Looks.' };

/** Parsed JSON of an answer, or part of the next body. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

interface Dialect {
  path: string;
  /** All of the first body but the conversation. */
  body: object;
  /** Field of the conversation. */
  field: 'messages' | 'input';
  /** What of an answer goes back in. */
  said: (json: Json) => Json[];
  /** Calls of an answer: their ids and arguments. */
  calls: (json: Json) => { id: string; turn: number }[];
  /** The result of a call, as it goes back in. */
  result: (id: string, text: string) => object;
  /** Tokens of the prompt. */
  read: (json: Json) => number;
}

const DIALECTS: [title: string, dialect: Dialect][] = [
  [
    'chat completions',
    {
      path: '/chat/completions',
      body: { tools: [{ type: 'function', function: { ...LOOK, parameters } }] },
      field: 'messages',
      said: ({ choices }) => [choices[0].message],
      calls: ({ choices }) =>
        (choices[0].message.tool_calls ?? []).map(({ id, function: called }: Json) => ({
          id,
          ...JSON.parse(called.arguments),
        })),
      result: (id, content) => ({ role: 'tool', tool_call_id: id, content }),
      read: ({ usage }) => usage.prompt_tokens,
    },
  ],
  [
    '[G09] messages',
    {
      path: '/messages',
      body: { max_tokens: 16_000, tools: [{ ...LOOK, input_schema: parameters }] },
      field: 'messages',
      said: ({ content }) => [{ role: 'assistant', content }],
      calls: ({ content }) =>
        content.filter(({ type }: Json) => type === 'tool_use').map(({ id, input }: Json) => ({ id, ...input })),
      result: (id, content) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] }),
      read: ({ usage }) => usage.input_tokens,
    },
  ],
  [
    '[G10] responses, with its tool in a namespace',
    {
      path: '/responses',
      body: {
        store: false,
        tools: [{ type: 'namespace', name: 'mcp__eyes', tools: [{ type: 'function', ...LOOK, parameters }] }],
      },
      field: 'input',
      said: ({ output }) => output,
      calls: ({ output }) =>
        output
          .filter(({ type }: Json) => type === 'function_call')
          .map(({ call_id: id, arguments: args }: Json) => ({ id, ...JSON.parse(args) })),
      result: (id, output) => ({ type: 'function_call_output', call_id: id, output }),
      read: ({ usage }) => usage.input_tokens,
    },
  ],
];

it.each(DIALECTS)('%s', async (_, { path, body, field, said, calls, result, read }) => {
  const models = [scriptedChat({ script: SCRIPT, contextLength: 32_768 })];
  const { app, inference } = await buildApp({ models, compatibility: 'hosted' });
  const idle = async (): Promise<void> => {
    await expect.poll(() => inference.status()).toMatchObject([{ state: 'ready', queued: 0 }]);
  };
  const conversation: object[] = [
    { role: 'system', content: 'You are an agent.' },
    { role: 'user', content: 'Look around.' },
  ];
  const request = () => ({ model: 'scripted-chat', ...body, [field]: conversation });
  const counts: number[] = [];
  const statuses: number[] = [];
  let answer: Json;
  for (let turn = 1; turn <= TURNS; turn++) {
    const { status, json } = await post(app, `/v1${path}`, request());
    expect({ status, json }).toMatchObject({ status: 200 });
    answer = json;
    counts.push(read(json));
    if (turn === TURNS) break;
    const [made, ...others] = calls(json);
    expect([made?.turn, others]).toEqual([turn, []]);
    conversation.push(...said(json), result(made!.id, resultOf(turn)));
    if (LEFT.includes(turn)) {
      const streamed = await send(app, path, { ...request(), stream: true });
      statuses.push(streamed.status);
      await readSomeEvents(streamed, 8);
      await idle();
      conversation.push(
        { role: 'assistant', content: 'word word' },
        { role: 'system', content: 'The user interrupted.' },
        { role: 'user', content: goOn(turn) },
      );
    }
  }
  expect([JSON.stringify(said(answer)).includes('Done.'), calls(answer)]).toEqual([true, []]);
  expect(statuses).toEqual(LEFT.map(() => 200));
  expect(counts).toHaveLength(TURNS);
  expect(counts.filter((count, index) => index > 0 && count <= counts[index - 1]!)).toEqual([]);
  await idle();
});
