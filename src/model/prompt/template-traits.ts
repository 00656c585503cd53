/**
 * Which parts of a conversation a chat template writes. Many silently drop some: earlier calls, system messages, all calls
 * but the first. One rendering with words that no template contains shows it; what is missing is later added as text.
 * @module
 */
import { InferenceError, isInferenceError } from '../../core/errors/inference-error.js';
import { compiledTemplate, TemplateRefusal } from './chat-template.js';
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
  /** System messages are written. */
  system: boolean;
  /**
   * Tools are declared: always, only beside a system message (empty or not), only when that holds them, or never.
   */
  tools: 'always' | 'with-empty-system' | 'with-system' | 'in-system' | 'never';
  /** System messages are written also when the conversation ends with a result. */
  systemBeforeResult: boolean;
  /** What is written of earlier turns where tools are offered. */
  history: TemplateHistory;
  /** The same where none are. */
  historyWithoutTools: TemplateHistory;
  /** Earlier calls are written only when their arguments are text. */
  textArguments: boolean;
  /** Of a message with text and a call both are written. */
  textBesideCalls: boolean;
  /** Results are written also after an answer without calls. */
  resultsOfText: boolean;
  /** All calls of a message are written, not only the first. */
  severalCalls: boolean;
  /** How a call is written; empty when it is not. Shows the model's syntax. */
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

/**
 * Whether a model's templates can be rendered at all: a question, without tools or with one. A template may refuse it in its
 * own words, because it wants another conversation.
 * @throws InferenceError `model_not_supported` with the reason
 */
export function checkTemplates(templates: {
  chatTemplate?: string | undefined;
  toolTemplate?: string | undefined;
}): void {
  for (const source of [templates.chatTemplate, templates.toolTemplate]) {
    const failures: unknown[] = [];
    if (source === undefined || attempt(source, [QUESTION], [], failures) !== undefined) continue;
    if (attempt(source, [QUESTION], [TOOL], failures) !== undefined) continue;
    if (failures.some((failure) => failure instanceof TemplateRefusal)) continue;
    const reason = failures[0] instanceof Error ? failures[0].message : 'unknown reason';
    const message = `The model's chat template cannot be rendered: ${reason}`;
    throw new InferenceError('model_not_supported', message, { permanent: true }, { cause: failures[0] });
  }
}

/** The first rendering that the template does not refuse; empty when it refuses all. */
function renderForgivingly(
  source: string,
  messages: readonly TemplateMessage[],
  tools: readonly TemplateTool[],
): string {
  return attempt(source, messages, tools, []) ?? '';
}

/** @param failures gets why each reading failed. @returns undefined when all did */
function attempt(
  source: string,
  messages: readonly TemplateMessage[],
  tools: readonly TemplateTool[],
  failures: unknown[],
): string | undefined {
  for (const given of toolVariants(tools)) {
    for (const variant of messageVariants(messages)) {
      try {
        const variables = { ...NO_TOKENS, messages: variant, tools: given };
        return compiledTemplate(source).render({ ...variables, add_generation_prompt: true });
      } catch (error) {
        failures.push(error);
        // Another reading would take as long.
        if (isInferenceError(error)) return undefined;
      }
    }
  }
  return undefined;
}

/** A part of a message for templates that look into lists of parts. */
type TemplatePart = { type: 'text'; text: string } | { type: 'image' };

/** A message for templates that look into lists of parts. */
export type VariedMessage = Omit<TemplateMessage, 'content'> & { content: string | TemplatePart[] };

/**
 * Templates accept different forms of the same messages, and only trying shows which: the usual form first.
 * @param mark stands for images; messages with one become lists of parts
 */
export function* messageVariants(
  messages: readonly TemplateMessage[],
  mark?: string,
): Generator<readonly VariedMessage[], void, undefined> {
  const inParts = (): VariedMessage[] => messages.map((message) => withParts(message, mark, true));
  if (mark === undefined) yield messages;
  else {
    yield messages.map((message) => withParts(message, mark, false));
    // A template that takes only lists of parts needs no other form.
    yield inParts();
  }
  for (const variant of milderReadings(messages))
    yield mark === undefined ? variant : variant.map((message) => withParts(message, mark, false));
  yield inParts();
}

function* milderReadings(messages: readonly TemplateMessage[]): Generator<readonly TemplateMessage[], void, undefined> {
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
