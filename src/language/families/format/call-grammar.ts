/** What a family says of its calls to the grammar, and what most families say alike. @module */
import {
  type Expression,
  type Trigger,
  NEVER,
  characters,
  choice,
  isNever,
  literal,
  repeat,
  sequence,
} from '../../grammar/expression.js';
import type { GrammarRules } from '../../grammar/grammar-rules.js';
import { type ObjectFrame, type ValueStyle, colon, comma } from '../../grammar/value-style.js';
import { ORDINARY_CHARACTERS, excludeRanges } from '../../grammar/reserved-characters.js';

/** How calls are forced. */
export interface ToolCallGrammar {
  /** The tags that the grammar asks for. */
  readonly tags: readonly string[];
  /** How values are written; spacing only where the family's differs from that of the template's JSON. */
  values(marker: TokenMarker): Omit<ValueStyle, 'spacing'> & Partial<Pick<ValueStyle, 'spacing'>>;
  /** The arguments of a tool; NEVER or impossible when no arguments that conform can be written. */
  arguments(schema: ArgumentsSchema): Expression;
  /** Calls of the tools. */
  calls(options: ToolGrammarOptions): ToolGrammar;
}

/** What a tool's parameters allow. Both throw SchemaProblem for what a grammar cannot express. */
export interface ArgumentsSchema {
  /** One value of the style: an object. */
  object(): Expression;
  /** The members of the object in a frame of the family's own. */
  members(frame: ObjectFrame): Expression;
}

/** A tool with the grammar of its arguments. */
export interface CallableTool {
  name: string;
  arguments: Expression;
}

export interface ToolGrammarOptions {
  rules: GrammarRules;
  style: ValueStyle;
  tools: readonly CallableTool[];
  /** Whether several calls may be written. */
  parallel: boolean;
  marker: TokenMarker;
}

export interface ToolGrammar {
  /** Only calls, at least one. */
  required: Expression;
  /** Free text, or calls; a call that was begun is finished. */
  free: Expression;
}

/** Most calls in one answer. A model that would call forever ends here. */
const MAX_CALLS = 32;

/** Values as JSON. */
export const JSON_VALUES = (): { language: 'json' } => ({ language: 'json' });

/** Arguments as one JSON object. */
export function objectArguments(schema: ArgumentsSchema): Expression {
  return schema.object();
}

/** Any text. */
export function freeText(): Expression {
  return repeat(characters(...ORDINARY_CHARACTERS), 0);
}

/** `{"name": …, "arguments": …}` of one of the tools. */
export function anyCall(
  { rules, tools, style }: ToolGrammarOptions,
  argumentsKey: string,
  nameKey = 'name',
): Expression {
  const calls = tools.map((tool) =>
    isNever(tool.arguments)
      ? NEVER
      : sequence(
          literal(`{"${nameKey}"`),
          colon(style),
          literal(JSON.stringify(tool.name)),
          comma(style),
          literal(`"${argumentsKey}"`),
          colon(style),
          tool.arguments,
          literal('}'),
        ),
  );
  return rules.add(choice(...calls));
}

/** The calls after the first. */
export function further(next: Expression, { rules, parallel }: ToolGrammarOptions): Expression {
  return parallel ? repeat(rules.add(next), 0, MAX_CALLS - 1) : literal('');
}

/** Free text in which a tag, as token or spelled, begins calls; nothing comes after them. */
export function triggered(
  { rules, marker }: ToolGrammarOptions,
  tags: readonly string[],
  body: Expression,
): Expression {
  const name = rules.reserve();
  rules.define(name, body);
  const triggers = tags.flatMap((each) => spellings(each, marker)).map((text) => ({ text, rule: name }));
  return rules.add({ type: 'triggered-text', triggers, again: false });
}

/**
 * What begins calls in a text, for each tag by which a parser finds them: a tag may stand before the one that begins a call, or
 * be left out.
 * @param free what {@link ToolCallGrammar.calls} made; where no tag begins calls, there is none
 */
export function callTriggers(
  free: Expression,
  openingTokens: readonly string[],
  { rules, marker }: Pick<ToolGrammarOptions, 'rules' | 'marker'>,
): Trigger[] {
  const body = rules.bodyOf(free);
  if (body.type !== 'triggered-text') return [];
  const [usual] = body.triggers;
  return openingTokens
    .flatMap((each) => spellings(each, marker))
    .flatMap((text) => {
      const whole = body.triggers.find((trigger) => trigger.text.includes(text)) ?? usual;
      if (!whole) return [];
      // A tag in place of the usual one begins the same.
      const at = whole.text.indexOf(text);
      const rest = at < 0 ? '' : whole.text.slice(at + text.length);
      if (rest === '') return [{ text, rule: whole.rule }];
      const name = rules.reserve();
      rules.define(name, sequence(literal(rest), { type: 'rule', name: whole.rule }));
      return [{ text, rule: name }];
    });
}

/** Text that no parser takes for calls: after blanks it begins with neither the bracket nor the tag. */
export function textUnlike(bracket: string, ...tagBeginnings: readonly [string, ...string[]]): Expression {
  const blanks = repeat(characters([0x20, 0x20], [0x0a, 0x0a]), 0, 4);
  const [[first = '<']] = tagBeginnings;
  const seconds = tagBeginnings.map(([, second = '|']) => second);
  const signs = [' ', '\n', '\t', '\r', bracket, first];
  const start = characters(...excludeRanges(ORDINARY_CHARACTERS, signs));
  const tagLike = sequence(
    literal(first),
    choice(characters(...excludeRanges(ORDINARY_CHARACTERS, seconds)), literal('')),
  );
  return choice(sequence(blanks, choice(start, tagLike), freeText()), literal(''));
}

/** The reserved character of an added token, or undefined when the model spells this text. */
export type TokenMarker = (text: string) => string | undefined;

/** A tag as its token where there is one, else spelled. */
export function tag(text: string, marker: TokenMarker): Expression {
  return literal(marker(text) ?? text);
}

/** The spellings of a tag: as token and as text. */
export function spellings(text: string, marker: TokenMarker): string[] {
  const reserved = marker(text);
  return reserved === undefined ? [text] : [reserved, text];
}
