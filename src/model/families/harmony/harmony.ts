/** OpenAI's harmony: every message of the answer names its channel. gpt-oss. @module */
import { choice, type Expression, literal, optional, sequence } from '../../grammar/expression.js';
import { spellings, tag } from '../grammar/tags.js';
import type { TokenMarker } from '../grammar/tags.js';
import type { ThoughtGrammarOptions } from '../grammar/thought-grammar.js';
import {
  JSON_VALUES,
  freeText,
  objectArguments,
  type ToolGrammar,
  type ToolGrammarOptions,
} from '../grammar/tool-call-grammar.js';
import type { ModelFamily, ToolSyntax } from '../model-family.js';
import { argumentsText } from '../parsing/write-answer.js';
import { createHarmonyParser } from './harmony-parser.js';

const TAGS = ['<|channel|>', '<|message|>', '<|constrain|>', '<|start|>', '<|end|>'] as const;
const ANALYSIS = '<|channel|>analysis<|message|>';
const NEXT_MESSAGE = '<|end|><|start|>assistant';

/** A call is a message to a function; the end token of messages to functions ends the answer. */
const tools: ToolSyntax = {
  recognise: (source) => source.includes('<|channel|>'),
  openingTokens: [],
  createParser: () => createHarmonyParser({ startOpen: false, toolsOffered: true }),
  grammar: { tags: TAGS, values: JSON_VALUES, arguments: objectArguments, calls: callGrammar },
  write: (calls) =>
    calls
      .map(
        ({ name, arguments: given }) =>
          `<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${argumentsText(given)}`,
      )
      .join(NEXT_MESSAGE),
  instruction:
    'To call a function, write a message to it on the commentary channel:\n' +
    '<|channel|>commentary to=functions.<function name> <|constrain|>json<|message|><arguments as a JSON object>',
};

export const harmony = {
  name: 'harmony',
  tools,
  reasoning: {
    recognise: (source) => source.includes('<|channel|>'),
    open: ANALYSIS,
    close: '<|end|>',
    // The final channel must be opened as well.
    forcedClose: `${NEXT_MESSAGE}<|channel|>final<|message|>`,
    tools,
    endsInside: (prompt) => prompt.endsWith(ANALYSIS),
    createParser: ({ startOpen, toolsOffered }) => createHarmonyParser({ startOpen, toolsOffered }),
    grammar: { tags: TAGS, frame, think },
    write: (thought, text, calls) =>
      [
        ...(thought === '' ? [] : [`${ANALYSIS}${thought}`]),
        ...(text === '' ? [] : [`<|channel|>final<|message|>${text}`]),
        ...(calls === '' ? [] : [calls]),
      ].join(NEXT_MESSAGE),
  },
} as const satisfies ModelFamily;

function callGrammar({ rules, tools: callable, marker }: ToolGrammarOptions): ToolGrammar {
  const head = [tag('<|channel|>', marker), literal('commentary to=functions.')];
  const constrain = [tag('<|constrain|>', marker), literal('json'), tag('<|message|>', marker)];
  const calls = rules.add(
    choice(...callable.map((tool) => sequence(...head, literal(`${tool.name} `), ...constrain, tool.arguments))),
  );
  const final = sequence(tag('<|channel|>', marker), literal('final'), tag('<|message|>', marker), freeText());
  return { required: calls, free: choice(calls, final) };
}

function frame(content: Expression, marker: TokenMarker): Expression {
  const constrain = sequence(literal(' '), tag('<|constrain|>', marker), literal('json'));
  const head = [tag('<|channel|>', marker), literal('final'), optional(constrain), tag('<|message|>', marker)];
  return sequence(...head, content);
}

function think(answer: Expression, { rules, marker, startOpen }: ThoughtGrammarOptions): Expression {
  const open = sequence(tag('<|channel|>', marker), literal('analysis'), tag('<|message|>', marker));
  const thought = rules.add({ type: 'text-until', stops: spellings('<|end|>', marker) });
  const rest = sequence(thought, tag('<|start|>', marker), literal('assistant'), answer);
  return startOpen ? rest : choice(answer, sequence(open, rest));
}
