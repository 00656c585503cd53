/** `[TOOL_CALLS] [{"name": …, "arguments": {…}}]` and `[TOOL_CALLS]name[ARGS]{…}`: Mistral, Ministral, Magistral, Devstral. @module */
import type { ChannelPart } from '../../core/events/token-event.js';
import type { Tool } from '../../core/request/tool.js';
import { choice, literal, optional, sequence } from '../grammar/expression.js';
import { comma } from '../grammar/value-style.js';
import {
  JSON_VALUES,
  type ToolGrammar,
  type ToolGrammarOptions,
  anyCall,
  further,
  objectArguments,
  tag,
  triggered,
} from './format/call-grammar.js';
import type { ModelFamily } from './format/model-family.js';
import { ArgumentsReader } from './parsing/arguments-reader.js';
import { type CallObjectReader, createCallObjectReader } from './parsing/call-object.js';
import { type ChannelParser, type ParserStep, type StepMachine, createStepParser } from './parsing/channel-parser.js';
import { certainLength } from './parsing/text-matching.js';
import { argumentsText } from './kinds/json-calls.js';

const OPEN = '[TOOL_CALLS]';
const ARGUMENTS = '[ARGS]';

/** Which of the two forms a model writes shows in its vocabulary: newer ones have a token before the arguments. */
export const mistral = {
  name: 'mistral',
  tools: {
    recognise: (source) => source.includes(OPEN),
    openingTokens: [OPEN],
    createParser: createMistralParser,
    grammar: {
      tags: [OPEN, ARGUMENTS],
      values: JSON_VALUES,
      arguments: objectArguments,
      calls: (options) => (options.marker(ARGUMENTS) === undefined ? listGrammar(options) : namedGrammar(options)),
    },
    write: (calls) =>
      calls.map(({ name, arguments: given }) => `${OPEN}${name}${ARGUMENTS}${argumentsText(given)}`).join(''),
    instruction: `Write calls as a JSON list after a tag:\n${OPEN} [{"name": <function name>, "arguments": <arguments as a JSON object>}]`,
  },
} as const satisfies ModelFamily;

function listGrammar(options: ToolGrammarOptions): ToolGrammar {
  const call = anyCall(options, 'arguments');
  const list = sequence(literal('['), call, further(sequence(comma(options.style), call), options), literal(']'));
  const body = sequence(optional(literal(' ')), list);
  return { required: sequence(tag(OPEN, options.marker), body), free: triggered(options, [OPEN], body) };
}

function namedGrammar(options: ToolGrammarOptions): ToolGrammar {
  const { rules, tools, marker } = options;
  const body = rules.add(
    choice(...tools.map((tool) => sequence(literal(tool.name), tag(ARGUMENTS, marker), tool.arguments))),
  );
  const open = tag(OPEN, marker);
  const more = further(sequence(open, body), options);
  return { required: sequence(open, body, more), free: triggered(options, [OPEN], sequence(body, more)) };
}

/** The named form up to its arguments; newer tokenizers put an id between name and arguments. */
const NAMED = /^\s*([\w.-]+)\s*(?:\[CALL_ID\][^[\]{}]*)?(?:\[ARGS\]\s*(?=\S)|(?=\{))/;
/** A model that ends here gives no arguments. */
const NAMED_ALONE = /^\s*([\w.-]+)\s*(?:\[CALL_ID\][^[\]{}]*)?\[ARGS\]\s*$/;
const NAMED_BEGINNING = /^\s*[\w.-]*\s*(?:\[[A-Z_]*(?:\][^[\]{}]*(?:\[[A-Z]*\]?\s*)?)?)?$/;

const newReader = (): CallObjectReader =>
  createCallObjectReader({ argumentKeys: ['arguments', 'parameters'], argumentsRequired: false, closes: [OPEN] });

/** Without the tag only an object with nothing but a call of one of these functions is one. */
const newBareReader = (tools: readonly Tool[]): CallObjectReader =>
  createCallObjectReader({
    argumentKeys: ['arguments'],
    argumentsRequired: true,
    closes: [OPEN],
    isName: (name) => tools.some((tool) => tool.name === name),
    onlyKeys: ['name', 'arguments', 'id'],
  });

/** A list of objects. */
const LIST = /^\s*\[\s*(?=\{)/;
const LIST_BEGINNING = /^\s*(?:\[\s*)?$/;

/**
 * Text may stand before the first call. A tag that no call follows is text. A list of calls that begins the answer may lack
 * the tag, as version 0.3 of the 7B model leaves it out.
 */
export function createMistralParser(tools: readonly Tool[] = []): ChannelParser {
  return createStepParser(new MistralSteps(tools));
}

/** The states of such a parser. */
class MistralSteps implements StepMachine {
  step: ParserStep;
  channel: StepMachine['channel'] = 'text';
  readonly #tools: readonly Tool[];
  #reader = newReader();
  #arguments = new ArgumentsReader([OPEN]);
  /** What stands in the buffer before the first object of an array: white space, the tag and the bracket. */
  #prefix = '';
  #afterCall = false;

  constructor(tools: readonly Tool[]) {
    this.#tools = tools;
    this.step = tools.length > 0 ? this.#start : this.#text;
  }

  #toText(): void {
    this.step = this.#text;
    this.channel = 'text';
  }

  readonly #start: ParserStep = (buffer, _parts, final) => {
    if (!final && LIST_BEGINNING.test(buffer)) return undefined;
    const list = LIST.exec(buffer);
    if (list) {
      this.#prefix = list[0];
      this.#reader = newBareReader(this.#tools);
      this.step = this.#firstObject;
    } else this.step = this.#text;
    return 0;
  };

  readonly #text: ParserStep = (buffer, parts, final) => {
    const blank = this.#afterCall ? buffer.length - buffer.trimStart().length : 0;
    if (blank > 0) return blank;
    const open = buffer.indexOf(OPEN);
    const before = open >= 0 ? buffer.slice(0, open).trimEnd().length : certainLength(buffer, [OPEN]);
    const certain = open < 0 && final ? buffer.length : before;
    if (certain > 0) {
      parts.push({ type: 'text', text: buffer.slice(0, certain) });
      this.#afterCall = false;
    }
    if (open >= 0) {
      this.#prefix = buffer.slice(certain, open + OPEN.length);
      this.step = this.#afterTag;
      this.channel = 'tool-call';
    } else if (certain === 0) return undefined;
    return certain;
  };

  readonly #afterTag: ParserStep = (buffer, parts, final) => {
    const rest = buffer.slice(this.#prefix.length);
    // The list of a single call may lack its brackets.
    const array = /^\s*(?:\[\s*)?(?=\{)/.exec(rest);
    if (array) {
      this.#prefix += array[0];
      this.#reader = newReader();
      this.step = this.#firstObject;
      return 0;
    }
    const named = NAMED.exec(rest);
    if (named) {
      parts.push({ type: 'tool-call-start', name: named[1]! });
      this.#arguments = new ArgumentsReader([OPEN]);
      this.step = this.#namedArguments;
      return this.#prefix.length + named[0].length;
    }
    const alone = final ? NAMED_ALONE.exec(rest) : null;
    if (alone) {
      parts.push({ type: 'tool-call-start', name: alone[1]! }, { type: 'tool-call-arguments', text: '{}' });
      parts.push({ type: 'tool-call-end' });
      this.#toText();
      return buffer.length;
    }
    if (!final && (NAMED_BEGINNING.test(rest) || /^\s*\[\s*$/.test(rest))) return undefined;
    return this.#giveBack(parts);
  };

  #giveBack(parts: ChannelPart[]): number {
    parts.push({ type: 'text', text: this.#prefix });
    this.#afterCall = false;
    this.#toText();
    return this.#prefix.length;
  }

  readonly #namedArguments: ParserStep = (buffer, parts, final) => {
    const { json, taken } = this.#arguments.read(buffer, final);
    if (json !== '') parts.push({ type: 'tool-call-arguments', text: json });
    if (this.#arguments.ended) {
      parts.push({ type: 'tool-call-end' });
      this.step = this.#afterArguments;
      return taken;
    }
    return taken === 0 ? undefined : taken;
  };

  /** A bracket too many means nothing. */
  readonly #afterArguments: ParserStep = (buffer) => {
    const skipped = /^[\s}]+/.exec(buffer)?.[0].length ?? 0;
    if (skipped > 0) return skipped;
    this.#afterCall = true;
    this.#toText();
    return 0;
  };

  /** Keeps the tag and the undecided object in the buffer, so that they can still become text. */
  readonly #firstObject: ParserStep = (buffer, parts, final) => {
    const read = this.#prefix.length + this.#reader.raw.length;
    const taken = this.#reader.read(buffer.slice(read), parts, final);
    if (this.#reader.state === 'invalid' || (this.#reader.state === 'undecided' && final)) return this.#giveBack(parts);
    if (this.#reader.state === 'undecided') return undefined;
    this.step = this.#object;
    this.channel = 'tool-call';
    return read + taken;
  };

  readonly #object: ParserStep = (buffer, parts, final) => {
    const taken = this.#reader.read(buffer, parts, final);
    if (this.#reader.state !== 'done') return taken === 0 ? undefined : taken;
    this.step = this.#afterObject;
    return taken;
  };

  readonly #afterObject: ParserStep = (buffer) => {
    const skipped = /^[\s,}]+/.exec(buffer)?.[0].length ?? 0;
    if (skipped > 0) return skipped;
    this.#afterCall = true;
    if (!buffer.startsWith('{')) {
      this.#toText();
      return buffer.startsWith(']') ? 1 : 0;
    }
    this.#prefix = '';
    this.#reader = newReader();
    this.step = this.#firstObject;
    return 0;
  };
}
