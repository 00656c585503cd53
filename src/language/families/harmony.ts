/** Messages that name their channel, `<|channel|>final<|message|>…` (OpenAI’s harmony): gpt-oss. @module */
import type { ChannelPart } from '../../core/events/token-event.js';
import type { Tool } from '../../core/request/tool.js';
import { type Expression, choice, literal, optional, sequence } from '../grammar/expression.js';
import {
  JSON_VALUES,
  type TokenMarker,
  type ToolGrammar,
  type ToolGrammarOptions,
  freeText,
  objectArguments,
  spellings,
  tag,
} from './format/call-grammar.js';
import type { ModelFamily, ThoughtGrammarOptions, ToolSyntax } from './format/model-family.js';
import { ArgumentsReader } from './parsing/arguments-reader.js';
import { type ChannelParser, type ParserStep, type StepMachine, createStepParser } from './parsing/channel-parser.js';
import { certainLength, findTag, mayBecome } from './parsing/text-matching.js';
import { argumentsText } from './kinds/json-calls.js';

const TAGS = ['<|channel|>', '<|message|>', '<|constrain|>', '<|start|>', '<|end|>'] as const;
const ANALYSIS = '<|channel|>analysis<|message|>';
const NEXT_MESSAGE = '<|end|><|start|>assistant';

/** A call is a message to a function; the end token of messages to functions ends the answer. */
const tools: ToolSyntax = {
  recognise: (source) => source.includes('<|channel|>'),
  openingTokens: [],
  createParser: (offered) => createHarmonyParser({ startOpen: false, toolsOffered: true, tools: offered }),
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
  inseparable: true,
  reasoning: {
    recognise: (source) => source.includes('<|channel|>'),
    open: ANALYSIS,
    close: '<|end|>',
    // The final channel must be opened as well.
    forcedClose: `${NEXT_MESSAGE}<|channel|>final<|message|>`,
    endsInside: (prompt) => prompt.endsWith(ANALYSIS),
    createParser: ({ startOpen, createToolParser, tools: offered }) =>
      createHarmonyParser({ startOpen, toolsOffered: createToolParser !== undefined, tools: offered }),
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
  // A head in a thought that was not ended begins another thought: no schema would hold a call there.
  const analysis = sequence(literal('analysis'), tag('<|message|>', marker));
  const heads = [
    { tag: '<|channel|>', head: analysis },
    { tag: '<|start|>', head: sequence(literal('assistant'), tag('<|channel|>', marker), analysis) },
  ];
  const triggers = heads.flatMap(({ tag: each, head }) => {
    const rule = rules.reserve();
    rules.define(rule, head);
    return spellings(each, marker).map((text) => ({ text, rule }));
  });
  const thought = rules.add({ type: 'text-until', stops: spellings('<|end|>', marker), triggers, again: true });
  const rest = sequence(thought, tag('<|start|>', marker), literal('assistant'), answer);
  return startOpen ? rest : choice(answer, sequence(open, rest));
}

const HEADS = ['<|start|>', '<|channel|>'];
const MESSAGE = '<|message|>';
const ENDS = ['<|end|>', '<|call|>', '<|return|>', ...HEADS];

const RECIPIENT = /^to=[\w.-]+\s*(?:<\|channel\|>|<\|constrain\|>|<\|message\|>)/;
const RECIPIENT_BEGINNING = /^(?:t|to|to=[\w.-]*\s*(?:<(?:\|\w*\|?)?)?)$/;

export interface HarmonyOptions {
  /** The prompt already opened the analysis. */
  startOpen: boolean;
  /** False: a call's arguments are text. */
  toolsOffered: boolean;
  /** Messages to these are calls also where the recipient lacks `functions.`. */
  tools?: readonly Tool[];
}

/**
 * `analysis` is reasoning; `final`, and a `commentary` without recipient, are text; messages to `functions.<name>` are
 * calls. Messages to other recipients (browser, python) count as reasoning: they are not for the user. Messages of one kind
 * that follow each other are parted by an empty line.
 */
export function createHarmonyParser(options: HarmonyOptions): ChannelParser {
  return createStepParser(new HarmonySteps(options));
}

/** The states of such a parser: heads, bodies, calls. */
class HarmonySteps implements StepMachine {
  step: ParserStep;
  channel: StepMachine['channel'];
  readonly #toolsOffered: boolean;
  readonly #tools: readonly Tool[];
  #kind: 'text' | 'reasoning';
  /** Kind of the body given out last. */
  #given: 'text' | 'reasoning' | undefined;
  #bodyEmpty = true;
  #arguments = new ArgumentsReader(ENDS, true);

  constructor({ startOpen, toolsOffered, tools: offered = [] }: HarmonyOptions) {
    this.#kind = startOpen ? 'reasoning' : 'text';
    this.channel = this.#kind;
    this.#toolsOffered = toolsOffered;
    this.#tools = offered;
    this.step = this.#start;
  }

  get holdsText(): boolean {
    return this.step === this.#body;
  }

  #give(text: string, parts: ChannelPart[]): void {
    if (text === '') return;
    const separator = this.#bodyEmpty && this.#given === this.#kind ? '\n\n' : '';
    parts.push({ type: this.#kind, text: separator + text });
    this.#given = this.#kind;
    this.#bodyEmpty = false;
  }

  /** Text without any header is the final message: the prompt may have opened it. */
  readonly #start: ParserStep = (buffer, _parts, final) => {
    const trimmed = buffer.trimStart();
    if ((trimmed === '' || mayBecome(trimmed, HEADS) || RECIPIENT_BEGINNING.test(trimmed)) && !final) return undefined;
    // The prompt ends with the role, so the recipient may be the first thing that is written.
    const isHeader = HEADS.some((head) => trimmed.startsWith(head)) || RECIPIENT.test(trimmed);
    this.step = isHeader ? this.#header : this.#body;
    return 0;
  };

  readonly #header: ParserStep = (buffer, parts, final) => {
    const message = buffer.indexOf(MESSAGE);
    if (message < 0) return final ? buffer.length : undefined;
    const head = buffer.slice(0, message);
    const [recipient] = [...head.matchAll(/\bto=([^\s<]+)/g)]
      .map(([, name]) => name)
      .filter((name) => name !== 'assistant');
    // A message to the assistant itself goes on in another channel.
    const channel = [...head.matchAll(/<\|channel\|>\s*(\w+)/g)].at(-1)?.[1];
    const name = this.#functionOf(recipient);
    if (name && this.#toolsOffered) this.#startCall(name, parts);
    else this.#startBody(channel === 'analysis' || (recipient !== undefined && !name) ? 'reasoning' : 'text');
    return message + MESSAGE.length;
  };

  /** The function that a message goes to: some models write the prefix twice, or not at all. */
  #functionOf(recipient: string | undefined): string | undefined {
    const name = recipient?.replace(/^(?:functions\.)+/, '');
    return name !== recipient || this.#tools.some((tool) => tool.name === name) ? name : undefined;
  }

  #startBody(next: 'text' | 'reasoning'): void {
    this.#kind = next;
    this.#bodyEmpty = true;
    this.step = this.#body;
    this.channel = next;
  }

  #startCall(name: string, parts: ChannelPart[]): void {
    parts.push({ type: 'tool-call-start', name });
    this.#given = undefined;
    this.#arguments = new ArgumentsReader(ENDS, true);
    this.step = this.#callArguments;
    this.channel = 'tool-call';
  }

  readonly #body: ParserStep = (buffer, parts, final) => {
    const blank = this.#bodyEmpty ? buffer.length - buffer.trimStart().length : 0;
    if (blank > 0) return blank;
    const end = findTag(buffer, ENDS);
    if (end) {
      this.#give(buffer.slice(0, end.index).trimEnd(), parts);
      this.step = this.#between;
      // The next message's head is not a thought, and needs no closing.
      this.channel = 'text';
      return HEADS.includes(end.tag) ? end.index : end.index + end.tag.length;
    }
    const certain = final ? buffer.length : certainLength(buffer, ENDS);
    this.#give(buffer.slice(0, certain), parts);
    return certain === 0 ? undefined : certain;
  };

  readonly #callArguments: ParserStep = (buffer, parts, final) => {
    const blank = buffer.length - buffer.trimStart().length;
    if (blank > 0 && !this.#arguments.begun) return blank;
    const { json, taken } = this.#arguments.read(buffer, final);
    if (json !== '') parts.push({ type: 'tool-call-arguments', text: json });
    if (!this.#arguments.ended) return taken === 0 ? undefined : taken;
    parts.push({ type: 'tool-call-end' });
    this.step = this.#afterCall;
    return taken;
  };

  /** A call without a body has no arguments. */
  finish(parts: ChannelPart[], isCut: boolean): void {
    if (isCut || this.step !== this.#callArguments || this.#arguments.begun) return;
    parts.push({ type: 'tool-call-arguments', text: '{}' }, { type: 'tool-call-end' });
  }

  /** Nothing but the end belongs here. */
  readonly #afterCall: ParserStep = (buffer, _parts, final) => {
    const end = findTag(buffer, ENDS);
    if (!end) return final ? buffer.length : undefined;
    this.step = this.#between;
    return HEADS.includes(end.tag) ? end.index : end.index + end.tag.length;
  };

  readonly #between: ParserStep = (buffer, _parts, final) => {
    const trimmed = buffer.trimStart();
    if (trimmed === '') return final ? buffer.length : undefined;
    if (mayBecome(trimmed, HEADS) && !final) return undefined;
    if (HEADS.some((head) => trimmed.startsWith(head))) this.step = this.#header;
    else this.#startBody('text');
    return 0;
  };
}
