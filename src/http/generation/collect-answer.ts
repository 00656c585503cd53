/** A generation's events, collected: what a non-streamed answer of any dialect is rendered from. @module */
import type { GenerationEvent, GenerationUsage, OutputFailure } from '../../channels/generation-event.js';
import { InferenceError } from '../../errors/inference-error.js';
import type { TokenLogprob } from '../../events/token-event.js';

/** A block of one choice, whole. */
export type AnswerBlock =
  | { type: 'reasoning'; text: string }
  | { type: 'text'; text: string }
  | { type: 'tool-call'; id: string; name: string; arguments: string };

/** One choice, whole. */
export interface AnswerChoice {
  /** In the order they came. */
  blocks: AnswerBlock[];
  /** Of the text's tokens; empty when none were asked for. */
  logprobs: TokenLogprob[];
  reason: 'stop' | 'length' | 'tool-calls';
  stopSequence?: string;
  failure?: OutputFailure;
  completionTokens: number;
}

/** Everything that came. */
export interface Answer {
  /** By index, 0 to n-1. */
  choices: AnswerChoice[];
  usage: GenerationUsage;
}

/** Reads the events to their end. @throws whatever the events throw */
export async function collectAnswer(events: AsyncIterable<GenerationEvent>): Promise<Answer> {
  const choices: AnswerChoice[] = [];
  for await (const event of events) {
    if (event.type === 'finish') return { choices, usage: event.usage };
    if (event.type !== 'start') addToChoice((choices[event.choice] ??= emptyChoice()), event);
  }
  throw new InferenceError('internal', 'The generation ended without a result.');
}

function emptyChoice(): AnswerChoice {
  return { blocks: [], logprobs: [], reason: 'stop', completionTokens: 0 };
}

type ChoiceEvent = Exclude<GenerationEvent, { type: 'start' | 'finish' }>;

function addToChoice(choice: AnswerChoice, event: ChoiceEvent): void {
  const open = choice.blocks.at(-1);
  switch (event.type) {
    case 'reasoning-start':
      choice.blocks.push({ type: 'reasoning', text: '' });
      return;
    case 'text-start':
      choice.blocks.push({ type: 'text', text: '' });
      return;
    case 'tool-call-start':
      choice.blocks.push({ type: 'tool-call', id: event.id, name: event.name, arguments: '' });
      return;
    case 'reasoning-delta':
      if (open?.type === 'reasoning') open.text += event.text;
      return;
    case 'text-delta':
      if (open?.type === 'text') open.text += event.text;
      if (event.logprobs) choice.logprobs.push(...event.logprobs);
      return;
    case 'tool-call-delta':
      if (open?.type === 'tool-call') open.arguments += event.argumentsDelta;
      return;
    case 'choice-finish':
      choice.reason = event.reason;
      choice.completionTokens = event.completionTokens;
      if (event.stopSequence !== undefined) choice.stopSequence = event.stopSequence;
      if (event.failure) choice.failure = event.failure;
      return;
    default:
      // The end of a block says nothing that the start of the next, or of nothing, does not.
      return;
  }
}

/** The text blocks joined; null when there is none. */
export function answerText(choice: AnswerChoice): string | null {
  return joined(choice, 'text');
}

/** The reasoning blocks joined; null when there is none. */
export function answerReasoning(choice: AnswerChoice): string | null {
  return joined(choice, 'reasoning');
}

/** The tool calls, in order. */
export function answerToolCalls(choice: AnswerChoice): Extract<AnswerBlock, { type: 'tool-call' }>[] {
  return choice.blocks.filter((block) => block.type === 'tool-call');
}

function joined(choice: AnswerChoice, type: 'text' | 'reasoning'): string | null {
  const texts = choice.blocks.flatMap((block) => (block.type === type ? [block.text] : []));
  return texts.length === 0 ? null : texts.join('');
}
