/** Answers of services that write them a little differently. */
import { describe, expect, it } from 'vitest';
import { answer, ask, chunk, stop } from './answer.js';
import { answerRemotely, streamOf } from './through-app.js';

const tools = [{ name: 'find' }, { name: 'open' }];
const called = (...calls: object[]): object => chunk({ tool_calls: calls });

async function callsIn(...chunks: object[]): Promise<string[][]> {
  answerRemotely(() => streamOf(...chunks, chunk({}, { finish_reason: 'tool_calls' })));
  const [choice] = (await answer(ask({ tools }))).choices;
  expect([choice!.reason, choice!.failure]).toEqual(['tool-calls', undefined]);
  return choice!.toolCalls.map(({ name, arguments: json }) => [name, json]);
}

describe('a call', () => {
  it('without arguments has none, not no JSON', async () => {
    const calls = await callsIn(
      called({ index: 0, id: 'a', function: { name: 'find', arguments: '' } }),
      called({ index: 1, id: 'b', function: { name: 'open' } }),
    );
    expect(calls).toEqual([
      ['find', '{}'],
      ['open', '{}'],
    ]);
  });

  it('is one whose pieces have different ids', async () => {
    const calls = await callsIn(
      called({ index: 0, id: 'a', function: { name: 'find', arguments: '' } }),
      called({ index: 0, id: 'b', function: { arguments: '{"x":' } }),
      called({ index: 0, id: '', function: { name: '', arguments: '1}' } }),
    );
    expect(calls).toEqual([['find', '{"x":1}']]);
  });

  it('is another when it has a name, even without index and id', async () => {
    const whole = (name: string): object => ({ id: '', index: null, function: { name, arguments: '{}' } });
    expect(await callsIn(called(whole('find'), whole('open')), called(whole('find')))).toEqual([
      ['find', '{}'],
      ['open', '{}'],
      ['find', '{}'],
    ]);
  });

  it('is over when the model thinks again', async () => {
    const call = { index: 0, id: 'a', function: { name: 'find', arguments: '{}' } };
    answerRemotely(() => streamOf(called(call), chunk({ reasoning: 'Hm' }, { finish_reason: 'length' })));
    const [choice] = (await answer(ask({ tools }))).choices;
    expect([choice!.reason, choice!.toolCalls.length, choice!.failure]).toEqual(['length', 1, undefined]);
  });
});

describe('an answer', () => {
  it('may come in parts, with its thinking among them', async () => {
    const thinking = (text: string): object => ({ type: 'thinking', thinking: [{ type: 'text', text }] });
    answerRemotely(() =>
      streamOf(
        chunk({ content: [thinking('Two and')] }),
        chunk({ content: [thinking(' two.'), { type: 'text', text: 'Fo' }] }),
        chunk({ content: 'ur' }),
        stop,
      ),
    );
    expect((await answer()).choices[0]).toMatchObject({ reasoning: 'Two and two.', text: 'Four' });
  });

  it('reasons under the name that is not empty', async () => {
    answerRemotely(() => streamOf(chunk({ reasoning_content: '', reasoning: 'Hm' }), stop));
    expect((await answer()).choices[0]).toMatchObject({ reasoning: 'Hm' });
  });

  it('goes on after an empty reason to end', async () => {
    const unfinished = { finish_reason: '' };
    const call = { index: 0, id: 'a', function: { name: 'find', arguments: '{"x":' } };
    const calls = await callsIn(
      chunk({ tool_calls: [call] }, unfinished),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }, unfinished),
    );
    expect(calls).toEqual([['find', '{"x":1}']]);
  });

  it.each(['length', 'model_length', 'max_tokens'])('is cut by %s', async (reason) => {
    answerRemotely(() => streamOf(chunk({ content: 'a' }, { finish_reason: reason })));
    expect((await answer()).choices[0]).toMatchObject({ reason: 'length' });
  });

  it('may be a refusal', async () => {
    answerRemotely(() => streamOf(chunk({ content: '', refusal: null }), chunk({ refusal: 'I will not.' }), stop));
    expect((await answer()).choices[0]).toMatchObject({ text: 'I will not.', reason: 'stop' });
  });

  it('names no stop sequence that nobody asked for', async () => {
    answerRemotely(() => streamOf(chunk({ content: 'a' }, { finish_reason: 'stop', stop_reason: 'end_turn' })));
    const [choice] = (await answer(ask({ stop: ['END'], output: { type: 'json-object' } }))).choices;
    expect(choice!.stopSequence).toBeUndefined();
    expect(choice!.failure).toMatchObject({ type: 'structured-output' });
  });

  it('is not lost for extras that cannot be read', async () => {
    answerRemotely(() =>
      streamOf(
        { choices: null, usage: {} },
        chunk({ content: 'a' }, { logprobs: -0.5 }),
        chunk({ content: 'b' }, { finish_reason: 'stop', logprobs: { tokens: null } }),
      ),
    );
    const { choices, usage } = await answer(ask({ topLogprobs: 1 }));
    expect(choices[0]!.text).toBe('ab');
    expect(usage.completionTokens).toBe(2);
  });

  it('has log-probabilities only when asked, and no more of them', async () => {
    const candidate = (token: string, logprob: number): object => ({ token, logprob, bytes: null });
    const content = [{ ...candidate('a', -1), top_logprobs: [candidate('b', -2), candidate('a', -1)] }];
    const remote = () => streamOf(chunk({ content: 'a' }, { logprobs: { content } }), stop);
    answerRemotely(remote);
    expect((await answer()).choices[0]!.logprobs).toBeUndefined();
    answerRemotely(remote);
    const [choice] = (await answer(ask({ topLogprobs: 1 }))).choices;
    expect(choice!.logprobs).toMatchObject([{ token: 'a', top: [{ token: 'a', logprob: -1 }] }]);
  });

  it('counts thinking that is only in the total', async () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 1,
      total_tokens: 41,
      completion_tokens_details: { reasoning_tokens: 30 },
    };
    answerRemotely(() => streamOf(chunk({ content: 'a' }), stop, { choices: [], usage }));
    expect((await answer()).usage).toMatchObject({ promptTokens: 10, completionTokens: 31, reasoningTokens: 30 });
  });
});
