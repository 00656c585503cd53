/** A call that a model begins in a thought that it did not close is held by the tool's schema, as every other is. */
import { describe, expect, it } from 'vitest';
import type { ReasoningFormat, ToolFormat } from '../../src/core/models/answer-formats.js';
import { answerGrammar } from '../../src/language/constraints/answer-grammar.js';
import { readsCallsInThoughts } from '../../src/language/constraints/calls-in-thoughts.js';
import { type AnswerFormats, createChannelParser, thoughtOpenings } from '../../src/language/families/answer-syntax.js';
import { MODEL_FAMILIES } from '../../src/language/families/families.js';
import type { ModelFamily } from '../../src/language/families/format/model-family.js';
import { read } from '../contract/channel-parser-contract.js';
import { ask } from '../language/constraints/support/ask.js';
import { conformsToSchema } from '../language/constraints/support/conforms-to-schema.js';
import { sampleEbnf } from '../language/constraints/support/sample-ebnf.js';
import { seededRandom } from '../language/constraints/support/walk.js';
import { EXAMPLE_TOOLS } from '../language/families/support/meanings.js';
import { rounds } from '../support/rounds.js';

const families: readonly ModelFamily[] = MODEL_FAMILIES;
const cases = families.flatMap(({ name, tools }) =>
  tools && name !== 'none' ? [{ toolFormat: name as ToolFormat, opens: thoughtOpenings(tools) }] : [],
);

interface ReadCall {
  name: string;
  text: string;
  isWhole: boolean;
}

function callsIn(formats: AnswerFormats, output: string, callsInThoughts: boolean): ReadCall[] {
  const parser = createChannelParser({
    ...formats,
    reasoningOpen: true,
    toolsOffered: true,
    tools: EXAMPLE_TOOLS,
    callsInThoughts,
  });
  const calls: ReadCall[] = [];
  for (const part of read(parser, [output]).parts) {
    if (part.type === 'tool-call-start') calls.push({ name: part.name, text: '', isWhole: false });
    else if (part.type === 'tool-call-arguments') calls.at(-1)!.text += part.text;
    else if (part.type === 'tool-call-end') calls.at(-1)!.isWhole = true;
  }
  return calls;
}

describe.each(cases)('[C56] an open thought of $toolFormat', ({ toolFormat, opens }) => {
  const reasoningFormat: ReasoningFormat = toolFormat === 'harmony' ? 'harmony' : 'think-tags';
  const formats = { toolFormat, reasoningFormat };
  const grammarOf = (toolChoice: 'auto' | 'required') => {
    const request = ask({ tools: [...EXAMPLE_TOOLS], toolChoice });
    const format = { ...formats, reasoningOpen: true, spacing: 'spaced' as const, marker: () => undefined };
    return { ebnf: answerGrammar(request, format), callsInThoughts: readsCallsInThoughts(request) };
  };

  it.each(['auto', 'required'] as const)('%s: all calls that are read conform', (toolChoice) => {
    const { ebnf, callsInThoughts } = grammarOf(toolChoice);
    for (let seed = 0; seed < rounds(20, 200); seed += 1) {
      const output = sampleEbnf(ebnf, seededRandom(seed));
      for (const { name, text, isWhole } of callsIn(formats, output, callsInThoughts)) {
        const schema = EXAMPLE_TOOLS.find((tool) => tool.name === name)?.parameters ?? { maxProperties: 0 };
        const isValid = isWhole && conformsToSchema(JSON.parse(text), schema);
        expect({ output, isValid }).toEqual({ output, isValid: true });
      }
    }
  });

  it('no tag that begins a call stands in its free text', () => {
    const { ebnf } = grammarOf('auto');
    const thought = /TagDispatch\((.*?)stop_eos=false, stop_str=\("<\/think>"\)/.exec(ebnf)?.[1] ?? '';
    const plain = thought.replaceAll(/\\u([\da-f]{4})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
    const isTagged = ebnf.includes('stop_eos=true');
    const wanted = toolFormat !== 'harmony' && isTagged ? opens : [];
    expect(wanted.filter((open) => !plain.includes(`"${open}"`))).toEqual([]);
  });
});
