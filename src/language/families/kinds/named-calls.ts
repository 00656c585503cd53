/** Families that write a call as its name, a mark and its arguments as JSON. What they differ in is data. @module */
import type { ChannelPart } from '../../../core/events/token-event.js';
import { type Expression, choice, literal, sequence } from '../../grammar/expression.js';
import {
  JSON_VALUES,
  type TokenMarker,
  type ToolGrammar,
  type ToolGrammarOptions,
  further,
  objectArguments,
  spellings,
  tag,
} from '../format/call-grammar.js';
import type { ToolSyntax } from '../format/model-family.js';
import { ArgumentsReader } from '../parsing/arguments-reader.js';
import { type CallReader, type CallShape, type TaggedCalls, createTaggedCallParser } from '../parsing/tagged-calls.js';
import {
  aroundName,
  BLANKS,
  containsAny,
  type HeadPart,
  lookahead,
  matchHead,
  writeHead,
} from '../parsing/text-matching.js';
import { argumentsText, jsonCall } from './json-calls.js';

/** What one family writes. */
export interface NamedCalls {
  /** Around all calls. */
  section: { open: string; close: string };
  /** Between two calls; absent: nothing. */
  separator?: string;
  /** Up to the arguments: its words are the name and, where there is a second, the index of the call in the answer. */
  head: readonly HeadPart[];
  /** After the arguments. */
  after: string;
  /** Single tokens among all that, in the order in which they are written. */
  tags: readonly string[];
  /** What shows the family in a text; absent: the section's opening tag. */
  signs?: readonly (string | RegExp)[];
  /** What begins a call even inside a thought that was not closed. */
  endsThought?: readonly string[];
  /** What stands around results of tools, which models repeat. */
  echoes?: TaggedCalls['echoes'];
}

/** The syntax of such a family. */
export function namedCallTools(family: NamedCalls): ToolSyntax {
  const { section, separator = '', after, tags } = family;
  const [beforeName, afterName] = aroundName(family.head);
  const before = writeHead(beforeName);
  const between = (index: number): string => writeHead(afterName, [String(index)]);
  const tagsIn = (text: string): string[] => tags.filter((each) => text.includes(each));
  const opens = [section.open, before].flatMap((text) => tagsIn(text).slice(0, 1));
  const closes = tagsIn(after + section.close);

  const callGrammar = (options: ToolGrammarOptions): ToolGrammar => {
    const { rules, tools, marker } = options;
    const text = (value: string): Expression => withTokens(value, tags, marker);
    const callAt = (index: number): Expression =>
      rules.add(
        choice(...tools.map((tool) => sequence(literal(tool.name), text(between(index)), tool.arguments, text(after)))),
      );
    const first = callAt(0);
    const more = further(sequence(literal(separator), text(before), callAt(1)), options);
    const body = sequence(first, more, text(section.close));
    const open = section.open + before;
    const name = rules.reserve();
    rules.define(name, body);
    const triggers = openings(open, tags, marker).map((trigger) => ({ text: trigger, rule: name }));
    return {
      required: sequence(text(open), body),
      free: rules.add({ type: 'triggered-text', triggers, again: false }),
    };
  };

  return {
    recognise: (text) => containsAny(text, family.signs ?? tags.slice(0, 1)),
    openingTokens: opens,
    createParser: (tools) =>
      createTaggedCallParser(
        {
          opens,
          closes,
          shapes: [namedCall(family.head, closes), jsonCall],
          ...(family.echoes && { echoes: family.echoes }),
        },
        tools,
      ),
    ...(family.endsThought && { endsThought: family.endsThought }),
    grammar: { tags, values: JSON_VALUES, arguments: objectArguments, calls: callGrammar },
    write: (calls) => {
      const written = calls.map(
        ({ name, arguments: given }, index) => `${before}${name}${between(index)}${argumentsText(given)}${after}`,
      );
      return `${section.open}${written.join(separator)}${section.close}`;
    },
    instruction:
      'Write each call in exactly this form:\n' +
      `${section.open}${before}<function name>${between(0)}<arguments as a JSON object>${after}${section.close}`,
  };
}

/** A text in which tags are their tokens, where the vocabulary has them. */
function withTokens(text: string, tags: readonly string[], marker: TokenMarker): Expression {
  const parts: Expression[] = [];
  let rest = text;
  while (rest !== '') {
    const found = tags.map((each) => ({ each, at: rest.indexOf(each) })).filter(({ at }) => at >= 0);
    const next = found.toSorted((a, b) => a.at - b.at)[0];
    if (!next) {
      parts.push(literal(rest));
      break;
    }
    parts.push(literal(rest.slice(0, next.at)), tag(next.each, marker));
    rest = rest.slice(next.at + next.each.length);
  }
  return sequence(...parts);
}

/** The spellings of an opening: all in letters, or all tags as tokens. */
function openings(text: string, tags: readonly string[], marker: TokenMarker): string[] {
  let reserved = text;
  for (const each of tags) reserved = reserved.replaceAll(each, spellings(each, marker)[0]!);
  return reserved === text ? [text] : [reserved, text];
}

/** What arguments begin with that are no object, or an object behind a comment. */
const OTHER_STARTS = ['[', '"', "'", '//', '/*', '#', ...'-0123456789'.split('')];
const WORDS = ['null', 'None', 'none', 'true', 'True', 'false', 'False'];

/**
 * @param head everything before the arguments; its first word is the name
 * @param closes tags behind the arguments, where nothing but arguments can follow the head: then they may be missing, or no object
 */
export function namedCall(head: readonly HeadPart[], closes?: readonly string[]): CallShape {
  const starts = closes === undefined ? [] : [...OTHER_STARTS, ...WORDS, ...closes];
  const whole: readonly HeadPart[] = [...head, BLANKS, lookahead('{', ...starts)];
  return {
    begins(text, final) {
      const found = matchHead(text, whole, final);
      return typeof found === 'string' ? found : 'yes';
    },
    createReader: (_tools, ends) => createNamedReader(whole, ends),
  };
}

function createNamedReader(head: readonly HeadPart[], ends: readonly string[]): CallReader {
  const reader = new ArgumentsReader(ends);
  let state: CallReader['state'] = 'undecided';

  const takeArguments = (text: string, parts: ChannelPart[], final: boolean): number => {
    const { json, taken } = reader.read(text, final);
    if (json !== '') parts.push({ type: 'tool-call-arguments', text: json });
    if (reader.ended) {
      parts.push({ type: 'tool-call-end' });
      state = 'done';
    }
    return taken;
  };

  return {
    read(text, parts, final) {
      if (state === 'called') return takeArguments(text, parts, final);
      const found = matchHead(text, head, final);
      if (found === 'more') return undefined;
      if (found === 'no') {
        state = 'invalid';
        return undefined;
      }
      parts.push({ type: 'tool-call-start', name: found.words[0]! });
      state = 'called';
      return found.length + takeArguments(text.slice(found.length), parts, final);
    },
    get state() {
      return state;
    },
  };
}
