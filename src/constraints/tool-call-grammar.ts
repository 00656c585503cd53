/** How each model family writes tool calls, as grammar. The counterpart of the parsers in `channels/`. @module */
import type { ToolFormat } from '../events/token-event.js';
import {
  type Expression,
  NEVER,
  characters,
  choice,
  isNever,
  literal,
  optional,
  repeat,
  sequence,
} from './grammar/expression.js';
import type { GrammarRules } from './grammar/grammar-rules.js';
import { ORDINARY_CHARACTERS } from './grammar/reserved-characters.js';
import { type ValueStyle, colon, comma } from './grammar/value-style.js';

/** Most calls in one answer. A model that would call for ever ends here. */
const MAX_CALLS = 32;

/** A tool with the grammars of its arguments. */
export interface CallableTool {
  name: string;
  /** The arguments as a JSON object. */
  object: Expression;
  /** The arguments as Python writes them between parentheses. */
  keywords: Expression;
}

export interface ToolGrammarOptions {
  rules: GrammarRules;
  style: ValueStyle;
  tools: readonly CallableTool[];
  /** Whether several calls may be written. */
  parallel: boolean;
  /** The reserved character of an added token, or undefined when the model spells this text. */
  marker: (text: string) => string | undefined;
}

export interface ToolGrammar {
  /** Only calls, at least one. */
  required: Expression;
  /** Free text, or calls; a call that was begun is finished. */
  free: Expression;
}

/** The grammar of calls in this syntax. */
export function toolCallGrammar(format: ToolFormat | 'harmony', options: ToolGrammarOptions): ToolGrammar {
  switch (format) {
    case 'hermes':
      return hermes(options);
    case 'llama3':
      return llama3(options);
    case 'mistral':
      return options.marker('[ARGS]') === undefined ? mistral(options) : namedMistral(options);
    case 'pythonic':
      return pythonic(options);
    case 'harmony':
      return harmony(options);
    case 'none':
      return { required: NEVER, free: freeText() };
  }
}

/** Any text. */
export function freeText(): Expression {
  return repeat(characters(...ORDINARY_CHARACTERS), 0);
}

/** A tag as its token where there is one, else spelled. */
export function tag(text: string, marker: ToolGrammarOptions['marker']): Expression {
  return literal(marker(text) ?? text);
}

/** The spellings of a tag: as token and as text. */
export function spellings(text: string, marker: ToolGrammarOptions['marker']): string[] {
  const reserved = marker(text);
  return reserved === undefined ? [text] : [reserved, text];
}

function hermes(options: ToolGrammarOptions): ToolGrammar {
  const body = sequence(
    literal('\n'),
    anyCall(options, 'arguments'),
    literal('\n'),
    tag('</tool_call>', options.marker),
  );
  const open = tag('<tool_call>', options.marker);
  const more = further(sequence(literal('\n'), open, body), options);
  return { required: sequence(open, body, more), free: triggered(options, ['<tool_call>'], sequence(body, more)) };
}

function mistral(options: ToolGrammarOptions): ToolGrammar {
  const call = anyCall(options, 'arguments');
  const list = sequence(literal('['), call, further(sequence(comma(options.style), call), options), literal(']'));
  const body = sequence(optional(literal(' ')), list);
  return {
    required: sequence(tag('[TOOL_CALLS]', options.marker), body),
    free: triggered(options, ['[TOOL_CALLS]'], body),
  };
}

/** `[TOOL_CALLS]name[ARGS]{…}`, the form of newer tokenizers. */
function namedMistral(options: ToolGrammarOptions): ToolGrammar {
  const { rules, tools, marker } = options;
  const body = rules.add(
    choice(...tools.map((tool) => sequence(literal(tool.name), tag('[ARGS]', marker), tool.object))),
  );
  const open = tag('[TOOL_CALLS]', marker);
  const more = further(sequence(open, body), options);
  return { required: sequence(open, body, more), free: triggered(options, ['[TOOL_CALLS]'], sequence(body, more)) };
}

/** The whole answer is calls or text; what begins like a call is one. */
function llama3(options: ToolGrammarOptions): ToolGrammar {
  const call = anyCall(options, 'parameters');
  const pythonTag = options.marker('<|python_tag|>');
  const calls = sequence(
    pythonTag === undefined ? literal('') : optional(literal(pythonTag)),
    call,
    further(sequence(literal(';'), optional(literal(' ')), call), options),
  );
  return { required: calls, free: choice(calls, textUnlike('{', '<|')) };
}

function pythonic(options: ToolGrammarOptions): ToolGrammar {
  const { rules, tools } = options;
  const call = rules.add(choice(...tools.map((tool) => sequence(literal(tool.name), tool.keywords))));
  const list = sequence(
    literal('['),
    call,
    further(sequence(literal(','), optional(literal(' ')), call), options),
    literal(']'),
  );
  const frames: [string, string][] = [
    ['<|tool_call_start|>', '<|tool_call_end|>'],
    ['<|python_start|>', '<|python_end|>'],
  ];
  const framed = frames.flatMap(([open, close]) => {
    const [first, last] = [options.marker(open), options.marker(close)];
    return first === undefined || last === undefined ? [] : [sequence(literal(first), list, literal(last))];
  });
  const calls = framed.length > 0 ? choice(...framed) : list;
  return { required: calls, free: choice(calls, textUnlike('[', '<|')) };
}

/** gpt-oss: a message to the function, ended by its own end token. */
function harmony(options: ToolGrammarOptions): ToolGrammar {
  const { rules, tools, marker } = options;
  const head = [tag('<|channel|>', marker), literal('commentary to=functions.')];
  const calls = rules.add(
    choice(
      ...tools.map((tool) =>
        sequence(
          ...head,
          literal(`${tool.name} `),
          tag('<|constrain|>', marker),
          literal('json'),
          tag('<|message|>', marker),
          tool.object,
        ),
      ),
    ),
  );
  const final = sequence(tag('<|channel|>', marker), literal('final'), tag('<|message|>', marker), freeText());
  return { required: calls, free: choice(calls, final) };
}

/** `{"name": …, "arguments": …}` of one of the tools. */
function anyCall({ rules, tools, style }: ToolGrammarOptions, argumentsKey: string): Expression {
  const calls = tools.map((tool) =>
    isNever(tool.object)
      ? NEVER
      : sequence(
          literal('{"name"'),
          colon(style),
          literal(JSON.stringify(tool.name)),
          comma(style),
          literal(`"${argumentsKey}"`),
          colon(style),
          tool.object,
          literal('}'),
        ),
  );
  return rules.add(choice(...calls));
}

function further(next: Expression, { rules, parallel }: ToolGrammarOptions): Expression {
  return parallel ? repeat(rules.add(next), 0, MAX_CALLS - 1) : literal('');
}

/** Free text in which a tag, as token or spelled, begins calls; nothing comes after them. */
function triggered({ rules, marker }: ToolGrammarOptions, tags: readonly string[], body: Expression): Expression {
  const name = rules.reserve();
  rules.define(name, body);
  const triggers = tags.flatMap((each) => spellings(each, marker)).map((text) => ({ text, rule: name }));
  return rules.add({ type: 'triggered-text', triggers, again: false });
}

/** Text that no parser takes for calls: after blanks it begins with neither the bracket nor the tag. */
function textUnlike(bracket: string, tagBeginning: string): Expression {
  const blanks = repeat(characters([0x20, 0x20], [0x0a, 0x0a]), 0, 4);
  const [first = '<', second = '|'] = tagBeginning;
  const codes = [' ', '\n', '\t', '\r', bracket, first].map((each) => each.codePointAt(0) ?? 0);
  const start = characters(...excluding(codes));
  const tagLike = sequence(literal(first), choice(characters(...excluding([second.codePointAt(0) ?? 0])), literal('')));
  return choice(sequence(blanks, choice(start, tagLike), freeText()), literal(''));
}

function excluding(codes: readonly number[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const [first, last] of ORDINARY_CHARACTERS) {
    let from = first;
    for (const code of codes.filter((each) => each >= first && each <= last).toSorted((a, b) => a - b)) {
      if (code > from) ranges.push([from, code - 1]);
      from = code + 1;
    }
    if (from <= last) ranges.push([from, last]);
  }
  return ranges;
}
