/** Prompts of coding agents: what a further turn has to read, counted in tokens and calls. */
import { expect, it } from 'vitest';
import type { TextTokenizer } from '../../../src/language/prompt/text-tokenizer.js';
import { renderPrompt } from '../../../src/language/prompt/render-prompt.js';
import {
  type CachedPrefix,
  REUSE_BLOCK,
  reusableLength,
} from '../../../src/engines/transformers/cache/prefix-cache.js';
import type { SequenceState } from '../../../src/engines/transformers/cache/sequence-state.js';
import { buildApp, scriptedChat } from '../../support/build-app.js';
import { recordingBackend } from '../../support/recording-backend.js';
import { agentBody, agentTool, toolTurn } from './support/agent-body.js';
import { tinyChatTokenizer } from './tiny-chat-tokenizer.js';

const FORMATS = { toolFormat: 'hermes', reasoningFormat: 'none' } as const;

/** The prompts of `/messages` bodies in tokens, and how many characters each turn had to encode. */
async function promptsOf(bodies: readonly object[]): Promise<{ tokens: number[]; encoded: number }[]> {
  const { backend, requests: asked } = recordingBackend();
  const backends = { scripted: backend };
  const models = [scriptedChat({ contextLength: 64_000 })];
  const { app } = await buildApp({ models, backends, compatibility: 'hosted' });
  for (const body of bodies) {
    const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await app.request('http://localhost/v1/messages', sent);
    expect(await response.text()).toContain('"type":"message"');
  }
  let encoded = 0;
  const real = tinyChatTokenizer();
  const encodeText = (text: string): number[] => ((encoded += text.length), real.encodeText(text));
  const tokenizer: TextTokenizer = { ...real, encodeText };
  return asked.map((request) => {
    encoded = 0;
    const { tokens } = renderPrompt(request, tokenizer, FORMATS);
    return { tokens, encoded };
  });
}

/** Tokens of the second prompt that are read though the first one is kept. */
function readAgain(first: readonly number[], second: readonly number[]): number {
  const state = { isCroppable: () => true } as unknown as SequenceState;
  const held = { state, row: 0, length: first.length };
  const kept: CachedPrefix = { tokens: first, promptLength: first.length, exact: 0, promptLogits: undefined, held };
  return second.length - reusableLength(kept, second, { type: 'all' });
}

const question = { role: 'user', content: [{ type: 'text', text: 'Fix the test.' }] };

/** Most tokens that a turn with a call, its result and a reminder adds, and the block that is read anew. */
const NEW = 400 + REUSE_BLOCK;

it('a second turn encodes and reads only what is new', async () => {
  const [first, second] = await promptsOf([agentBody([question]), agentBody([question, ...toolTurn('1')])]);
  expect(first!.tokens.length).toBeGreaterThan(15_000);
  expect(first!.tokens.length).toBeLessThan(60_000);
  expect(readAgain(first!.tokens, second!.tokens)).toBeLessThan(NEW);
  expect(second!.encoded).toBeLessThan(first!.encoded / 20);
});

it('also where `cache_control`, a date or a reminder near the end has changed', async () => {
  const marked = { ...question.content[0], cache_control: { type: 'ephemeral', ttl: '1h' } };
  const reminder = (text: string) => ({ type: 'text', text: `<system-reminder>${text}</system-reminder>` });
  const turns = [question, ...toolTurn('1')];
  const answer = (day: string, todos: string) => [
    reminder(`Today is ${day}.`),
    { type: 'text', text: 'Go on.' },
    reminder(todos),
  ];
  const [first, second] = await promptsOf([
    agentBody([...turns, { role: 'user', content: answer('2026-11-22', 'No todos.') }]),
    agentBody([
      { role: 'user', content: [marked] },
      ...toolTurn('1'),
      { role: 'user', content: answer('2026-11-23', 'One todo.') },
      ...toolTurn('2'),
    ]),
  ]);
  expect(readAgain(first!.tokens, second!.tokens)).toBeLessThan(NEW + 200);
  expect(second!.encoded).toBeLessThan(first!.encoded / 20);
});

it('tools that an agent loads later stand behind the others, in the order in which they were found', async () => {
  const deferred = (name: string) => ({ ...agentTool(name), defer_loading: true });
  const search = (id: string, ...names: string[]) => [
    { role: 'assistant', content: [{ type: 'tool_use', id, name: 'tool_0', input: { query: names[0] } }] },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: id,
          content: names.map((tool_name) => ({ type: 'tool_reference', tool_name })),
        },
      ],
    },
  ];
  const [first, second, third] = await promptsOf([
    agentBody([question], [deferred('zz_placeholder')]),
    agentBody([question, ...search('a', 'mm_cron')], [deferred('mm_cron'), deferred('zz_placeholder')]),
    agentBody(
      [question, ...search('a', 'mm_cron'), ...search('b', 'aa_list')],
      [deferred('aa_list'), deferred('mm_cron'), deferred('zz_placeholder')],
    ),
  ]);
  // The three tools at the end, and the short conversation behind them.
  expect(readAgain(first!.tokens, second!.tokens)).toBeLessThan(3_000);
  expect(readAgain(second!.tokens, third!.tokens)).toBeLessThan(3_000);
  expect(first!.tokens.length).toBeGreaterThan(15_000);
});

it('[X26] a caller has to encode what only another has sent', async () => {
  const { backend, requests } = recordingBackend();
  const { app } = await buildApp({
    models: [scriptedChat({ contextLength: 64_000 })],
    backends: { scripted: backend },
  });
  const body = JSON.stringify(agentBody([question]));
  const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  expect((await app.request('http://localhost/v1/messages', sent)).status).toBe(200);
  const real = tinyChatTokenizer();
  let encoded = 0;
  const encodeText = (text: string): number[] => ((encoded += text.length), real.encodeText(text));
  const tokenizer: TextTokenizer = { ...real, encodeText };
  const costs = ['a', 'b', 'a', 'b'].map((caller) => {
    encoded = 0;
    renderPrompt({ ...requests[0]!, caller }, tokenizer, FORMATS);
    return encoded;
  });
  expect(costs[1]).toBe(costs[0]);
  expect(Math.max(costs[2]!, costs[3]!)).toBeLessThan(costs[0]! / 20);
});
