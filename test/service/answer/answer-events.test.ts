import { describe, expect, it } from 'vitest';
import type { CollectedChoice } from '../../../src/service/answer/collect-generation.js';
import type { GenerationEvent } from '../../../src/service/answer/generation-event.js';
import { AnswerEvents, createToolCallId } from '../../../src/service/answer/answer-events.js';
import { ResumeState } from '../../../src/service/answer/resume-state.js';
import type { TokenEvent, TokenLogprob } from '../../../src/core/events/token-event.js';
import type { GenerationRequest } from '../../../src/core/request/generation-request.js';
import { collectAnswer, interpret as interpretBatches } from '../../support/token-events.js';
import { end, PROMPT, request, source, token, type Written } from './token-source.js';

/** A clock that moves by 100 ms each time it is read. */
function tickingClock(start = 1_000_000): () => number {
  let now = start;
  return () => (now += 100);
}

function interpret(events: readonly Written[], asked: GenerationRequest = request()): AsyncGenerator<GenerationEvent> {
  let count = 0;
  const options = { clock: tickingClock(), createId: () => `id-${count++}`, startTime: 1_000_000 };
  return interpretBatches(source(events, asked), asked, options);
}

async function all(events: AsyncIterable<GenerationEvent>): Promise<GenerationEvent[]> {
  const list: GenerationEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

/** The only choice of an output, token by token. */
async function answer(
  pieces: readonly string[],
  reason: 'stop' | 'length' = 'stop',
  asked: GenerationRequest = request(),
): Promise<CollectedChoice> {
  const events = [PROMPT, ...pieces.map((piece) => token(piece)), end(0, { reason })];
  return (await collectAnswer(interpret(events, asked))).choices[0]!;
}

const CALL = ['<tool_call>', '\n{"name": "f", ', '"arguments": {"a"', ': 1}', '}\n', '</tool_call>'];

describe('AnswerEvents: blocks', () => {
  it('pairs reasoning, text and calls in their order', async () => {
    const pieces = ['<think>', 'hm', '</think>', '\n\nLook:', ' ', ...CALL];
    const events = await all(interpret([PROMPT, ...pieces.map((piece) => token(piece)), end()]));
    expect(events.slice(0, -1)).toEqual([
      { type: 'start', model: 'model', promptTokens: 7, cachedTokens: 3 },
      { type: 'reasoning-start', choice: 0 },
      { type: 'reasoning-delta', choice: 0, text: 'hm' },
      { type: 'reasoning-end', choice: 0 },
      { type: 'text-start', choice: 0 },
      { type: 'text-delta', choice: 0, text: 'Look:' },
      { type: 'text-end', choice: 0 },
      { type: 'tool-call-start', choice: 0, index: 0, id: 'id-0', name: 'f' },
      { type: 'tool-call-delta', choice: 0, index: 0, argumentsDelta: '{"a"' },
      { type: 'tool-call-delta', choice: 0, index: 0, argumentsDelta: ': 1}' },
      { type: 'tool-call-end', choice: 0, index: 0 },
      { type: 'choice-finish', choice: 0, reason: 'tool-calls', completionTokens: 11 },
    ]);
  });

  it('gives each event while the tokens come, not at the end', async () => {
    const seen: string[] = [];
    async function* tokens(): AsyncGenerator<Written> {
      yield PROMPT;
      for (const piece of ['a', 'b']) {
        yield token(piece);
        seen.push(`after ${piece}`);
      }
      yield end();
    }
    for await (const event of interpretBatches(source(tokens(), request()), request())) {
      if (event.type === 'text-delta') seen.push(event.text);
    }
    expect(seen).toEqual(['a', 'after a', 'b', 'after b']);
  });

  it('keeps interleaved choices apart', async () => {
    const events = [
      PROMPT,
      token('<think>', 0),
      token('x', 1),
      token('y', 0),
      token('z', 1),
      end(1),
      token('</think>k', 0),
      end(0),
    ];
    const { choices } = await collectAnswer(interpret(events, request({ n: 2 })));
    expect(choices).toMatchObject([
      { reasoning: 'y', text: 'k', completionTokens: 3 },
      { text: 'xz', completionTokens: 2 },
    ]);
  });

  it('takes a raw prompt for text to be continued', async () => {
    const asked = request({ prompt: { type: 'raw', text: 'x' } });
    expect(await answer(['<think>a</think>', ...CALL], 'stop', asked)).toMatchObject({
      text: `<think>a</think>${CALL.join('')}`,
      toolCalls: [],
    });
  });

  it('begins with reasoning when the prompt left it open', async () => {
    const events = [{ ...PROMPT, reasoningOpen: true }, token('a'), token('</think>'), token('\nb'), end()];
    const { choices, usage } = await collectAnswer(interpret(events));
    expect(choices[0]).toMatchObject({ reasoning: 'a', text: 'b' });
    expect(usage.reasoningTokens).toBe(2);
  });

  it('gives out at the end what was held back', async () => {
    const events = [PROMPT, token('a <tool'), end(0, { text: '_box', stopSequence: 'END' })];
    const { choices } = await collectAnswer(interpret(events));
    expect(choices[0]).toMatchObject({ text: 'a <tool_box', stopSequence: 'END' });
  });

  it('[C45] takes calls for text when they are forbidden', async () => {
    const choice = await answer(CALL, 'stop', request({ toolChoice: 'none' }));
    expect(choice).toMatchObject({ toolCalls: [], text: CALL.join(''), reason: 'stop' });
  });

  it('[C50] drops calls after the first when they must not be parallel', async () => {
    expect((await answer([...CALL, ...CALL])).toolCalls).toHaveLength(2);
    const choice = await answer([...CALL, ...CALL, 'and'], 'stop', request({ parallelToolCalls: false }));
    expect(choice.toolCalls).toEqual([{ id: 'id-0', name: 'f', arguments: '{"a": 1}' }]);
    expect(choice).toMatchObject({ text: 'and', reason: 'tool-calls' });
    expect(choice.failure).toBeUndefined();
  });
});

describe('AnswerEvents: failures', () => {
  it('[C42] a call that the cap cuts, wherever it cuts', async () => {
    for (let length = 1; length < 4; length++) {
      const choice = await answer(CALL.slice(0, length), 'length');
      expect(choice.failure, `${length} tokens`).toEqual({
        type: 'tool-call',
        rawOutput: CALL.slice(0, length).join(''),
        isCut: true,
      });
      expect(choice.text).toBe('');
    }
  });

  it('a call whose arguments are complete is whole, even if its tags are cut', async () => {
    for (const length of [4, 5]) {
      const choice = await answer(CALL.slice(0, length), 'length');
      expect(choice).toMatchObject({ reason: 'tool-calls', toolCalls: [{ arguments: '{"a": 1}' }] });
      expect(choice.failure).toBeUndefined();
    }
  });

  it('text after a call that the cap cuts has been cut', async () => {
    expect(await answer([...CALL, 'And so'], 'length')).toMatchObject({ reason: 'length', text: 'And so' });
  });

  it('a call whose arguments are no JSON object', async () => {
    const choice = await answer(['<tool_call>{"name": "f", "arguments": {oops}}</tool_call>']);
    expect(choice.failure?.type).toBe('tool-call');
  });

  it('what only looked like a call is text when the model ended it', async () => {
    const choice = await answer(['<tool_call>', 'f(1)']);
    expect(choice).toMatchObject({ text: '<tool_call>f(1)', reason: 'stop' });
    expect(choice.failure).toBeUndefined();
  });

  it('a call that the model itself left unfinished before its name was certain is text', async () => {
    const choice = await answer(['<tool_call>', '\n{"name": "f"']);
    expect(choice).toMatchObject({ text: '<tool_call>\n{"name": "f"', toolCalls: [], reason: 'stop' });
    expect(choice.failure).toBeUndefined();
  });

  it('[C41] JSON that the cap cuts', async () => {
    const asked = request({ tools: [], output: { type: 'json-object' } });
    expect((await answer(['{"a": ', '1'], 'length', asked)).failure).toEqual({
      type: 'structured-output',
      rawOutput: '{"a": 1',
      isCut: true,
    });
    expect((await answer(['{"a": ', '1}'], 'length', asked)).failure).toBeUndefined();
  });

  it('[C38] a JSON value that is no object is no JSON object, but may be what a schema asks for', async () => {
    const asObject = request({ tools: [], output: { type: 'json-object' } });
    const asSchema = request({ tools: [], output: { type: 'json-schema', name: 's', schema: true, strict: true } });
    expect((await answer(['[1]'], 'stop', asObject)).failure?.type).toBe('structured-output');
    expect((await answer(['[1]'], 'stop', asSchema)).failure).toBeUndefined();
    expect((await answer(['Sure! [1]'], 'stop', asSchema)).failure?.type).toBe('structured-output');
  });

  it('a call instead of JSON is an answer', async () => {
    const choice = await answer(CALL, 'stop', request({ output: { type: 'json-object' } }));
    expect(choice).toMatchObject({ reason: 'tool-calls' });
    expect(choice.failure).toBeUndefined();
  });

  it('[C48] a required or forced call that does not come, or calls another function', async () => {
    const forced = request({ toolChoice: { name: 'g' } });
    expect((await answer(['no'], 'stop', request({ toolChoice: 'required' }))).failure?.type).toBe('tool-choice');
    expect((await answer(['no'], 'stop', forced)).failure?.type).toBe('tool-choice');
    expect((await answer(CALL, 'stop', forced)).failure?.type).toBe('tool-choice');
    expect((await answer(CALL, 'stop', request({ toolChoice: 'required' }))).failure).toBeUndefined();
    expect((await answer(CALL, 'stop', request({ toolChoice: { name: 'f' } }))).failure).toBeUndefined();
  });

  it('[C42] a required call that the cap did not let begin counts as cut', async () => {
    const choice = await answer(['<think>', 'hm'], 'length', request({ toolChoice: 'required' }));
    expect(choice.failure?.type).toBe('tool-call');
  });

  it('what a stop sequence ended is no failure: in a call, in JSON, before a required call, after a whole one', async () => {
    const stopped = async (pieces: readonly string[], asked: Partial<GenerationRequest>) => {
      const events = [PROMPT, ...pieces.map((piece) => token(piece)), end(0, { stopSequence: 'END' })];
      return (await collectAnswer(interpret(events, request(asked)))).choices[0]!;
    };
    const cases: [readonly string[], Partial<GenerationRequest>, object][] = [
      [CALL.slice(0, 2), {}, { text: '', toolCalls: [] }],
      [CALL.slice(0, 3), { toolChoice: 'required' }, { toolCalls: [{ arguments: '{"a"' }] }],
      [['{"a": 1'], { tools: [], output: { type: 'json-object' } }, { text: '{"a": 1' }],
      [['Well'], { toolChoice: { name: 'f' } }, { text: 'Well' }],
      [[...CALL, 'And'], {}, { text: 'And', toolCalls: [{ arguments: '{"a": 1}' }] }],
    ];
    for (const [pieces, asked, expected] of cases) {
      const choice = await stopped(pieces, asked);
      expect(choice).toMatchObject({ ...expected, reason: 'stop', stopSequence: 'END' });
      expect(choice.failure).toBeUndefined();
    }
  });

  it('passes on what the engine throws, and closes it when the reader breaks off', async () => {
    let closed = 0;
    const events = source([PROMPT, token('a'), token('b'), end()], request(), () => (closed += 1));
    for await (const event of interpretBatches(events, request())) if (event.type === 'text-delta') break;
    expect(closed).toBe(1);
    async function* failing(): AsyncGenerator<Written> {
      yield PROMPT;
      throw new RangeError('engine');
    }
    const broken = interpretBatches(source(failing(), request()), request());
    await expect(collectAnswer(broken)).rejects.toThrow(RangeError);
  });
});

describe('AnswerEvents: log-probabilities', () => {
  const logprob = (name: string): TokenLogprob => ({ token: name, bytes: [1], logprob: -0.5, top: [] });
  const spoken = (text: string, name: string) => token(text, 0, { logprob: logprob(name) });

  it('[S14] ride on the text, as many as tokens, late ones on an empty delta', async () => {
    const events = [
      PROMPT,
      spoken('Hel', 'a'),
      spoken('', 'b'),
      spoken('lo', 'c'),
      spoken(' ', 'd'),
      spoken('', 'e'),
      end(),
    ];
    const deltas = (await all(interpret(events))).filter((event) => event.type === 'text-delta');
    expect(deltas.map((delta) => [delta.text, delta.logprobs?.map((entry) => entry.token)])).toEqual([
      ['Hel', ['a']],
      ['lo', ['b', 'c']],
      [' ', ['d', 'e']],
    ]);
  });

  it('of reasoning and calls are no content', async () => {
    const events = [
      PROMPT,
      spoken('<think>', 'a'),
      spoken('x', 'b'),
      spoken('</think>', 'c'),
      spoken('y', 'd'),
      spoken('<tool_call>', 'e'),
      end(),
    ];
    const { choices } = await collectAnswer(interpret(events));
    expect(choices[0]!.logprobs?.map((entry) => entry.token)).toEqual(['d']);
  });

  it('[C61] of blanks and pieces of tags that the parser drops are no content', async () => {
    const pieces = [
      '<think>',
      'x',
      '</think>',
      '\n',
      '\nLook',
      ':',
      ' ',
      '\n<tool',
      '_call>',
      ...CALL.slice(1),
      '\n',
      'And',
      ' so',
      '\n',
    ];
    const events = [PROMPT, ...pieces.map((piece) => spoken(piece, piece)), end()];
    const choice = (await collectAnswer(interpret(events))).choices[0]!;
    expect(choice).toMatchObject({ text: 'Look:And so\n', toolCalls: [{ arguments: '{"a": 1}' }] });
    expect(choice.logprobs?.map((entry) => entry.token)).toEqual(['\nLook', ':', 'And', ' so', '\n']);
  });

  it('[C61] of text that only began like a tag are content', async () => {
    const pieces = ['So', ' ', '\n<too', 'l>', ' x <', 'y'];
    const events = [PROMPT, ...pieces.map((piece) => spoken(piece, piece)), end()];
    const choice = (await collectAnswer(interpret(events))).choices[0]!;
    expect(choice.text).toBe(pieces.join(''));
    expect(choice.logprobs?.map((entry) => entry.token)).toEqual(pieces);
  });

  it('[C61] of two final messages are those of their words', async () => {
    const final = ['<|channel|>', 'final', '<|message|>'];
    const pieces = [...final, 'Yes', '.', '<|end|>', '<|start|>', 'assistant', ...final, 'And', ' no', '<|return|>'];
    const events = [
      { ...PROMPT, reasoningFormat: 'harmony' } as const,
      ...pieces.map((piece) => spoken(piece, piece)),
      end(),
    ];
    const choice = (await collectAnswer(interpret(events))).choices[0]!;
    expect(choice.text).toBe('Yes.\n\nAnd no');
    expect(choice.logprobs?.map((entry) => entry.token)).toEqual(['Yes', '.', 'And', ' no']);
  });

  it('of a text that a stop sequence swallowed are still given', async () => {
    const { choices } = await collectAnswer(interpret([PROMPT, spoken('', 'a'), end(0, { stopSequence: 'x' })]));
    expect(choices[0]).toMatchObject({ text: '', logprobs: [{ token: 'a' }] });
  });
});

describe('AnswerEvents: usage', () => {
  it('[C71] counts reasoning with its tags, and measures times', async () => {
    const pieces = ['<think>', 'a', 'b', '</think>', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'];
    const events = [PROMPT, ...pieces.map((piece) => token(piece)), end()];
    const { usage, promptTokens, cachedTokens } = await collectAnswer(interpret(events));
    expect({ promptTokens, cachedTokens }).toEqual({ promptTokens: 7, cachedTokens: 3 });
    expect(usage).toMatchObject({ promptTokens: 7, cachedTokens: 3, completionTokens: 13, reasoningTokens: 4 });
    // The clock moves by 0.1 s per token and once for the end.
    expect(usage.startTime).toBe(1000);
    expect(usage.timeToFirstToken).toBeCloseTo(0.1);
    expect(usage.timeFirstTen).toBeCloseTo(1.0);
    expect(usage.timeAfterFirst).toBeCloseTo(1.2);
    expect(usage.endTime).toBeCloseTo(1001.4);
  });

  it('gives tokens that come together one time', () => {
    const record = new ResumeState();
    const times = { clock: tickingClock(), startTime: 1_000_000 };
    const events = new AnswerEvents(request(), {
      ...times,
      createId: () => '',
      resumeState: record,
      chosen: record.beginGeneration(1),
    });
    const piece: TokenEvent = { type: 'piece', choice: 0, parts: [{ type: 'text', text: 'a' }], isReasoning: false };
    events.push([{ type: 'prompt', promptTokens: 7, cachedTokens: 3 }, ...Array.from({ length: 12 }, () => piece)]);
    events.push([piece]);
    const measured = { timeToFirstToken: 0.1, timeFirstTen: 0, timeAfterFirst: 0.1 };
    expect(events.finish()).toMatchObject([{ type: 'finish', usage: { completionTokens: 13, ...measured } }]);
  });

  it('has no token times when nothing was generated', async () => {
    const { usage, choices } = await collectAnswer(interpret([PROMPT, end()]));
    expect(usage.timeToFirstToken).toBeUndefined();
    expect(usage.completionTokens).toBe(0);
    expect(choices).toEqual([{ text: '', toolCalls: [], reason: 'stop', completionTokens: 0 }]);
  });
});

describe('createToolCallId', () => {
  it('gives unique url-safe ids', () => {
    const ids = Array.from({ length: 500 }, createToolCallId);
    expect(new Set(ids).size).toBe(500);
    for (const id of ids) expect(id).toMatch(/^call_[\w-]{24}$/);
  });
});
