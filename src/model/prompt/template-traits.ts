/**
 * What a chat template really writes of a conversation. Many drop parts in silence: calls of the history, system texts,
 * all calls of a message but the first. Its words do not tell, so it is rendered once with words that no template writes
 * by itself, and what does not come out is later put into the prompt another way.
 * @module
 */
import { compiledTemplate } from './chat-template.js';
import {
  type TemplateMessage,
  type TemplateTool,
  withDescriptions,
  withoutSystemRole,
  withShortCallIds,
  withSingleCalls,
  withStringArguments,
} from './template-messages.js';

export interface TemplateTraits {
  /** Texts of the system role come out. */
  system: boolean;
  /**
   * Declarations of tools come out: always; only beside a system message, which may be empty or not; only when the system
   * message holds them itself; or never.
   */
  tools: 'always' | 'with-empty-system' | 'with-system' | 'in-system' | 'never';
  /** Texts of the system role come out while the conversation ends with a result. */
  systemBeforeResult: boolean;
  /** What comes out of earlier turns where tools are offered. */
  history: TemplateHistory;
  /** The same where none are. */
  historyWithoutTools: TemplateHistory;
  /** Arguments must be text for that. */
  textArguments: boolean;
  /** A text beside a call comes out, and the call as well. */
  textBesideCalls: boolean;
  /** Results come out behind an answer without calls. */
  resultsOfText: boolean;
  /** All calls of a message come out, or only the first. */
  severalCalls: boolean;
  /** What the template made of a call; empty when it made nothing. Shows the model's syntax. */
  call: string;
  /** A prompt with tools. */
  prompt: string;
}

export interface TemplateHistory {
  calls: boolean;
  results: boolean;
}

const WORDS = {
  system: 'qxsystem',
  question: 'qxquestion',
  tool: 'qxtool',
  argument: 'qxargument',
  second: 'qxsecond',
  result: 'qxresult',
  secondResult: 'qxother',
  text: 'qxtext',
} as const;

const TOOL: TemplateTool = {
  type: 'function',
  function: {
    name: WORDS.tool,
    description: 'A function.',
    parameters: {
      type: 'object',
      properties: { value: { type: 'string', description: 'A value.' } },
      required: ['value'],
    },
  },
};

const QUESTION: TemplateMessage = { role: 'user', content: WORDS.question };
const LATER: readonly TemplateMessage[] = [
  { role: 'assistant', content: 'qxanswer' },
  { role: 'user', content: 'qxthanks' },
];
const SYSTEM: TemplateMessage = { role: 'system', content: WORDS.system };
const EMPTY_SYSTEM: TemplateMessage = { role: 'system', content: '' };
const NO_TOKENS = { bos_token: '', eos_token: '', pad_token: '', unk_token: '' };

const known = new Map<string, TemplateTraits>();

/** The traits of a template. Found out once for each source. */
export function templateTraits(source: string): TemplateTraits {
  const traits = known.get(source) ?? probe(source);
  known.set(source, traits);
  return traits;
}

function probe(source: string): TemplateTraits {
  const render = (messages: readonly TemplateMessage[], tools: readonly TemplateTool[] = [TOOL]): string =>
    renderForgivingly(source, messages, tools);
  const declares = (...messages: TemplateMessage[]): boolean => render(messages).includes(WORDS.tool);
  // Some templates insist that user and assistant take turns.
  const turn = (...middle: TemplateMessage[]): TemplateMessage[] => [QUESTION, ...middle, ...LATER];
  const past = turn(calls(''), result(1));
  const plain = render(past);
  // The declaration names the tool as well, so the call is told by its argument.
  const textArguments = !plain.includes(WORDS.argument) && render(withStringArguments(past)).includes(WORDS.argument);
  const history = textArguments ? render(withStringArguments(past)) : plain;
  const called = history.includes(WORDS.argument);
  const given = textArguments ? withStringArguments : (messages: TemplateMessage[]) => messages;
  const beside = render(given(turn(calls(WORDS.text), result(1))));
  const several = render(given(turn(calls('', WORDS.second), result(1), result(2))));
  const ending = render(given([SYSTEM, QUESTION, calls(''), result(1)]));
  return {
    // A template for tools may refuse conversations without them.
    system: [[], [TOOL]].some((tools) => render([SYSTEM, QUESTION], tools).includes(WORDS.system)),
    tools: declares(QUESTION)
      ? 'always'
      : declares(EMPTY_SYSTEM, QUESTION)
        ? 'with-empty-system'
        : declares(SYSTEM, QUESTION)
          ? 'with-system'
          : declares(withToolField(EMPTY_SYSTEM, [TOOL]), QUESTION)
            ? 'in-system'
            : 'never',
    systemBeforeResult: ending === '' || ending.includes(WORDS.system),
    history: historyIn(history),
    historyWithoutTools: historyIn(render(given(past), [])),
    textArguments,
    textBesideCalls: beside.includes(WORDS.text) && beside.includes(WORDS.argument),
    resultsOfText: render(turn({ role: 'assistant', content: WORDS.text }, result(1))).includes(WORDS.result),
    severalCalls: several.includes(WORDS.argument) && several.includes(WORDS.second),
    call: called ? callIn(history) : '',
    prompt: render([withToolField(SYSTEM, [TOOL]), QUESTION]) || render([QUESTION]),
  };
}

/** A system message that holds the declarations itself. */
export function withToolField(system: TemplateMessage, tools: readonly TemplateTool[]): TemplateMessage {
  return { ...system, tools: JSON.stringify(tools.map((tool) => tool.function)) };
}

function historyIn(prompt: string): TemplateHistory {
  return { calls: prompt.includes(WORDS.argument), results: prompt.includes(WORDS.result) };
}

/** What stands between the question and the result. */
function callIn(history: string): string {
  const argument = history.lastIndexOf(WORDS.argument);
  const question = history.lastIndexOf(WORDS.question, argument);
  const end = history.indexOf(WORDS.result, argument);
  return history.slice(question < 0 ? 0 : question + WORDS.question.length, end < 0 ? undefined : end);
}

function calls(content: string, ...more: string[]): TemplateMessage {
  const values = [WORDS.argument, ...more];
  return {
    role: 'assistant',
    content,
    tool_calls: values.map((value, index) => ({
      id: `call${index + 1}`,
      type: 'function' as const,
      function: { name: WORDS.tool, arguments: { value } },
    })),
  };
}

function result(index: 1 | 2): TemplateMessage {
  const content = index === 1 ? WORDS.result : WORDS.secondResult;
  return { role: 'tool', content, tool_call_id: `call${index}`, name: WORDS.tool };
}

/** The first rendering that the template does not refuse; empty when it refuses all. */
function renderForgivingly(
  source: string,
  messages: readonly TemplateMessage[],
  tools: readonly TemplateTool[],
): string {
  for (const given of toolVariants(tools)) {
    for (const variant of messageVariants(messages)) {
      try {
        const variables = { ...NO_TOKENS, messages: variant, tools: given };
        return compiledTemplate(source).render({ ...variables, add_generation_prompt: true });
      } catch {
        // Refused: the next variant.
      }
    }
  }
  return '';
}

/** A part of a message for templates that look into lists of parts. */
type TemplatePart = { type: 'text'; text: string } | { type: 'image' };

/** A message for templates that look into lists of parts. */
export type VariedMessage = Omit<TemplateMessage, 'content'> & { content: string | TemplatePart[] };

/**
 * Templates differ in what they take, and only trying shows it: the plainest reading first, then milder ones.
 * @param mark stands for images; messages with one become lists of parts
 */
export function* messageVariants(
  messages: readonly TemplateMessage[],
  mark?: string,
): Generator<readonly VariedMessage[], void, undefined> {
  const inParts = messages.map((message) => withParts(message, mark, true));
  if (mark !== undefined) {
    yield messages.map((message) => withParts(message, mark, false));
    // A template that takes parts alone needs no milder reading.
    yield inParts;
  }
  for (const variant of readings(messages))
    yield mark === undefined ? variant : variant.map((message) => withParts(message, mark, false));
  yield inParts;
}

function* readings(messages: readonly TemplateMessage[]): Generator<readonly TemplateMessage[], void, undefined> {
  yield messages;
  yield withShortCallIds(messages);
  yield withStringArguments(messages);
  yield withSingleCalls(messages);
  yield withoutSystemRole(messages);
  yield withoutSystemRole(withShortCallIds(messages));
}

function withParts(message: TemplateMessage, mark: string | undefined, always: boolean): VariedMessage {
  const texts = mark === undefined ? [message.content] : message.content.split(mark);
  if (texts.length === 1 && !always) return message;
  const content = texts.flatMap((text, place): TemplatePart[] => [
    ...(place > 0 ? [{ type: 'image' as const }] : []),
    ...(text !== '' || texts.length === 1 ? [{ type: 'text' as const, text }] : []),
  ]);
  return { ...message, content };
}

/** The same of tools; null: none. */
export function* toolVariants(
  tools: readonly TemplateTool[],
): Generator<readonly (TemplateTool | string)[] | null, void, undefined> {
  if (tools.length === 0) return yield null;
  yield tools;
  yield withDescriptions(tools);
  // Some print each declaration as it is, which the template engine only does with text.
  yield tools.map((tool) => JSON.stringify(tool));
}
