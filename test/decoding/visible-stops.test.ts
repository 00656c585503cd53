import { describe, expect, it } from 'vitest';
import { type MarkupFormats, stopsFor } from '../../src/decoding/visible-stops.js';
import { type GenerationRequest, plainGenerationRequest } from '../../src/request/generation-request.js';

const formats: MarkupFormats = { toolFormat: 'hermes', reasoningFormat: 'think-tags', reasoningOpen: false };
const tools = [{ name: 'get_weather', parameters: {} }];

interface Outcome {
  text: string;
  matched: string | undefined;
}

/** What is left of a choice whose tokens are these. */
function read(
  tokens: readonly string[],
  changes: Partial<GenerationRequest>,
  more: Partial<MarkupFormats> = {},
): Outcome {
  const request = { ...plainGenerationRequest('m', { type: 'chat', messages: [] }), ...changes };
  const stops = stopsFor(request, { ...formats, ...more });
  let text = '';
  for (const token of tokens) {
    const found = stops.push(token);
    text += found.text;
    if (found.matched !== undefined) return { text, matched: found.matched };
  }
  return { text: text + stops.end(), matched: undefined };
}

const CALL = ['<tool_call>', '\n', '{"name": "get_weather", ', '"arguments": {}}', '\n', '</tool_call>'];
const THOUGHT = ['<think>', '\n', 'Two', '\n\n', 'and two.', '\n', '</think>', '\n\n'];

describe('stop sequences of a chat', () => {
  it('[C35] are not looked for in calls', () => {
    const outcome = read(CALL, { stop: ['\n', '"name"'], tools });
    expect(outcome).toEqual({ text: CALL.join(''), matched: undefined });
  });

  it('[C35] are not looked for in the thinking, nor in the white space after it', () => {
    const outcome = read([...THOUGHT, 'Four', '.', '\n', '\n', 'Or five.'], { stop: ['\n\n', 'Two'] });
    expect(outcome).toEqual({ text: `${THOUGHT.join('')}Four.`, matched: '\n\n' });
    const opened = read(THOUGHT.slice(1), { stop: ['Two'] }, { reasoningOpen: true });
    expect(opened.matched).toBeUndefined();
  });

  it('are found before and between calls', () => {
    expect(read(['Let me look.', '\n', ...CALL], { stop: ['\n'], tools })).toEqual({
      text: 'Let me look.',
      matched: '\n',
    });
    expect(read([...CALL, '\n', 'STOP'], { stop: ['STOP'], tools }).matched).toBe('STOP');
  });

  it('give out what they held back when markup follows it', () => {
    expect(read(['a', 'b', ...CALL], { stop: ['abc'], tools }).text).toBe(`ab${CALL.join('')}`);
  });

  it('are found in what only looks like a call: no tools are offered, or the prompt is raw', () => {
    expect(read(CALL, { stop: ['\n'] })).toEqual({ text: '<tool_call>', matched: '\n' });
    const raw = { prompt: { type: 'raw', text: 'x' } } as const;
    expect(read(THOUGHT, { stop: ['\n'], ...raw })).toEqual({ text: '<think>', matched: '\n' });
  });
});
