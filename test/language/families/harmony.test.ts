import { describe, expect, it } from 'vitest';
import { createHarmonyParser } from '../../../src/language/families/harmony.js';
import { describeChannelParser, read } from '../../contract/channel-parser-contract.js';
import { HARMONY_FIXTURES, HARMONY_FRAGMENTS } from '../../fixtures/channels/harmony.js';

describeChannelParser('harmony', {
  create: () => createHarmonyParser({ startOpen: false, toolsOffered: true }),
  fixtures: HARMONY_FIXTURES,
  fragments: HARMONY_FRAGMENTS,
});

describe('harmony: options', () => {
  it('takes a call for text when no tools were offered', () => {
    const parser = createHarmonyParser({ startOpen: false, toolsOffered: false });
    const { parts } = read(parser, ['<|channel|>commentary to=functions.f<|message|>{"a":1}']);
    expect(parts).toEqual([{ type: 'text', text: '{"a":1}' }]);
  });

  it('begins inside the analysis when the prompt opened it', () => {
    const parser = createHarmonyParser({ startOpen: true, toolsOffered: true });
    expect(parser.channel).toBe('reasoning');
    const { parts } = read(parser, ['So.<|end|><|start|>assistant<|channel|>final<|message|>Yes.']);
    expect(parts).toEqual([
      { type: 'reasoning', text: 'So.' },
      { type: 'text', text: 'Yes.' },
    ]);
  });
});

describe('harmony: streaming', () => {
  it('gives each channel while it is written', () => {
    const parser = createHarmonyParser({ startOpen: false, toolsOffered: true });
    expect(parser.push('<|channel|>')).toEqual([]);
    expect(parser.push('analysis<|message|>So')).toEqual([{ type: 'reasoning', text: 'So' }]);
    expect(parser.push(' be it<|')).toEqual([{ type: 'reasoning', text: ' be it' }]);
    expect(parser.push('end|><|start|>assistant<|channel|>commentary to=functions.f<|message|>')).toEqual([
      { type: 'tool-call-start', name: 'f' },
    ]);
    expect(parser.push('{"a":')).toEqual([{ type: 'tool-call-arguments', text: '{"a":' }]);
    expect(parser.push('1}')).toEqual([{ type: 'tool-call-arguments', text: '1}' }, { type: 'tool-call-end' }]);
  });
});
