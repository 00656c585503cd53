/**
 * Which parts of a conversation a chat template writes. Many silently drop some: earlier calls, system messages, all calls
 * but the first. One rendering with words that no template contains shows it; what is missing is later added as text.
 * @module
 */
import { InferenceError, isInferenceError } from '../../core/errors/inference-error.js';
import { compiledTemplate, TemplateRefusal } from './chat-template.js';
import { isWritten } from './written-words.js';
import { type TemplateMessage, type TemplateTool, withStringArguments, withThought } from './template-messages.js';
import { type Reading, READINGS, toolReadings } from './template-readings.js';

export interface TemplateTraits {
  /**
   * Tools are declared: always, only beside a system message (empty or not), only when that holds them, or never.
   */
  tools: 'always' | 'with-empty-system' | 'with-system' | 'in-system' | 'never';
  /** The system message is written in the last question, which some forget when an answer stands behind that. */
  systemInQuestion: boolean;
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

/** What begins a thought and what ends it, as the model writes them. */
export interface ThoughtTags {
  open: string;
  close: string;
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
  thought: 'qxthought',
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
  const asked = render([SYSTEM, QUESTION, ...LATER]);
  return {
    tools: declares(QUESTION)
      ? 'always'
      : declares(EMPTY_SYSTEM, QUESTION)
        ? 'with-empty-system'
        : declares(SYSTEM, QUESTION)
          ? 'with-system'
          : declares(withToolField(EMPTY_SYSTEM, [TOOL]), QUESTION)
            ? 'in-system'
            : 'never',
    systemInQuestion: asked.indexOf(WORDS.system) > asked.indexOf(WORDS.question),
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

const thoughtsMoved = new Map<string, boolean>();

/** Whether a template leaves thoughts out of an answer's text, or writes them from their field. Found out once. */
export function movesThoughts(source: string, tags: ThoughtTags): boolean {
  const key = JSON.stringify([source, tags.open, tags.close]);
  const moves = thoughtsMoved.get(key) ?? probeThoughts(source, tags);
  thoughtsMoved.set(key, moves);
  return moves;
}

function probeThoughts(source: string, { open, close }: ThoughtTags): boolean {
  if (open === '' || close === '') return false;
  const render = (answer: Partial<TemplateMessage>): string =>
    renderForgivingly(source, [QUESTION, { role: 'assistant', content: WORDS.text, ...answer }, QUESTION], []);
  const moved = render(withThought(WORDS.thought));
  const left = render({ content: `${open}\n${WORDS.thought}\n${close}\n\n${WORDS.text}` });
  return moved.includes(WORDS.text) && (moved.includes(WORDS.thought) || !left.includes(WORDS.thought));
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
    throw new InferenceError(
      'model_not_supported',
      message,
      { permanent: true, reason: message },
      { cause: failures[0] },
    );
  }
}

/**
 * The rendering that keeps the most words of the probe: of each group of readings the first that the template does not refuse
 * is compared. Empty when it refuses all.
 */
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
  const words = JSON.stringify(messages).match(/qx[a-z]+/g) ?? [];
  const kept = (text: string): number => words.filter((word) => isWritten(word, text)).length;
  let best: string | undefined;
  for (const readings of READINGS) {
    const text = firstAccepted(source, { readings, messages, tools }, failures);
    if (text !== undefined && (best === undefined || kept(text) > kept(best))) best = text;
    if (best !== undefined && kept(best) === words.length) break;
  }
  return best;
}

function firstAccepted(
  source: string,
  { readings, messages, tools }: ProbeForms,
  failures: unknown[],
): string | undefined {
  for (const given of toolReadings(tools)) {
    for (const reading of readings) {
      try {
        const variables = { ...NO_TOKENS, messages: reading(messages), tools: given };
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

interface ProbeForms {
  readings: readonly Reading[];
  messages: readonly TemplateMessage[];
  tools: readonly TemplateTool[];
}
