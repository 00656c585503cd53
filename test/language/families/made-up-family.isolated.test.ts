/** A family that exists only here: a record and a line in the list are all that it takes. */
import { describe, expect, it, vi } from 'vitest';
import { scriptedBackend } from '../../../src/engines/scripted/scripted-backend.js';
import { createChannelParser } from '../../../src/language/families/answer-syntax.js';
import { answerGrammar } from '../../../src/language/constraints/answer-grammar.js';
import type { ReasoningFormat, ToolFormat } from '../../../src/core/models/answer-formats.js';
import { detectReasoningFormat, detectToolFormat } from '../../../src/language/prompt/detect-formats.js';
import { renderPrompt } from '../../../src/language/prompt/render-prompt.js';
import type { Message } from '../../../src/core/request/message.js';
import { ask } from '../constraints/support/ask.js';
import { sampleEbnf } from '../constraints/support/sample-ebnf.js';
import { seededRandom } from '../constraints/support/walk.js';
import { read } from '../../contract/channel-parser-contract.js';
import { call, reasoning, text } from '../../fixtures/channels/parts.js';
import { tinyChatTokenizer } from '../prompt/tiny-chat-tokenizer.js';
import { collectAnswer, interpret } from '../../support/token-events.js';

vi.mock('../../../src/language/families/families.js', async (original) => {
  const { klingon } = await import('./support/klingon.js');
  const list = await original<typeof import('../../../src/language/families/families.js')>();
  return { ...list, MODEL_FAMILIES: [klingon, ...list.MODEL_FAMILIES] };
});

// The names of types are those of the true list.
const formats = { toolFormat: 'klingon' as ToolFormat, reasoningFormat: 'klingon' as ReasoningFormat };
const weather = {
  name: 'weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const output = '***\nHm.\n/***\n\nSee:\n(qatlh)weather{"city":"Ulm"}';

describe('a family that is added by one record', () => {
  it('is detected', () => {
    const template = '{{ tools }}{{ messages }}(qatlh) ***';
    expect(detectToolFormat(template)).toBe('klingon');
    expect(detectReasoningFormat(template)).toBe('klingon');
    expect(detectToolFormat('{{ tools }} <tool_call>')).toBe('hermes');
    expect(detectToolFormat('{{ tools }} <tool_call>', 'klingon')).toBe('klingon');
  });

  it('is parsed', () => {
    const parser = createChannelParser({ ...formats, reasoningOpen: false, toolsOffered: true });
    expect(read(parser, [output]).parts).toEqual([
      reasoning('Hm.'),
      text('See:'),
      ...call('weather', '{"city":"Ulm"}'),
    ]);
  });

  it('is forced by grammar', () => {
    const format = { ...formats, reasoningOpen: true, spacing: 'compact', marker: () => undefined } as const;
    const ebnf = answerGrammar(ask({ tools: [weather], toolChoice: 'required' }), format);
    for (let seed = 0; seed < 50; seed += 1) {
      const sample = sampleEbnf(ebnf, seededRandom(seed));
      const parser = createChannelParser({ ...formats, reasoningOpen: true, toolsOffered: true });
      const calls = read(parser, [sample]).parts.filter((part) => part.type !== 'reasoning');
      expect(calls.map((part) => part.type)).toEqual(['tool-call-start', 'tool-call-arguments', 'tool-call-end']);
      expect(calls[0]).toMatchObject({ name: 'weather' });
    }
  });

  it('is scripted', async () => {
    const toolCalls = [{ name: 'weather', arguments: { city: 'Ulm' } }];
    const script = { replies: [{ reasoning: 'Hm.', text: 'See:', toolCalls }] };
    const options = {
      onProgress: () => {},
      signal: new AbortController().signal,
      assetsURL: 'http://localhost/assets/',
      pageURL: 'http://localhost/',
    };
    const model = await scriptedBackend.load(
      { id: 'k', task: 'chat', backend: 'scripted', script, ...formats },
      options,
    );
    const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Ulm?' }] }];
    const request = ask({ tools: [weather], prompt: { type: 'chat', messages }, reasoning: { enabled: true } });
    const tokens = model.generate!(request, options.signal);
    const { choices } = await collectAnswer(interpret(tokens, request, { createId: () => 'id' }));
    const calls = [{ id: 'id', name: 'weather', arguments: '{"city":"Ulm"}' }];
    expect(choices).toMatchObject([{ reasoning: 'Hm.', text: 'See:', toolCalls: calls, reason: 'tool-calls' }]);
  });

  it('is explained to a model that was never taught tools', () => {
    const tokenizer = { ...tinyChatTokenizer(), chatTemplate: '{% for m in messages %}{{ m.content }}{% endfor %}' };
    const { tokens } = renderPrompt(ask({ tools: [weather] }), tokenizer, formats);
    const prompt = new TextDecoder().decode(Uint8Array.from(tokens.flatMap((token) => [...tokenizer.bytesOf(token)])));
    expect(prompt).toContain('Say (qatlh), then the name');
    expect(prompt).toContain('"name":"weather"');
  });
});
