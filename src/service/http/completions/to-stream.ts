/** Generation events as the chunks of a text completion stream. @module */
import type { PromptLogprobs, TokenLogprob } from '../../../core/events/token-event.js';
import type { Compatibility } from '../policy/compatibility.js';
import { logprobEntries, usageObject, type CompletionHead, type HeadOf } from '../generation/completion-parts.js';
import type { CompletionEvent } from './several-prompts.js';
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { Render } from '../generation/generate.js';

/** The lists that text completion clients know, and beside them `content` as in chat completions. */
export interface CompletionLogprobs {
  tokens: string[];
  /** null where nothing stands before a token. */
  token_logprobs: (number | null)[];
  top_logprobs: (Record<string, number> | null)[];
  /** Where each token starts in the choice's text, in UTF-16 units. */
  text_offset: number[];
  content: Record<string, unknown>[];
}

export interface CompletionChoice {
  index: number;
  text: string;
  logprobs: CompletionLogprobs | null;
  finish_reason: 'stop' | 'length' | null;
}

export interface CompletionObject {
  id: string;
  object: Compatibility['completionObject'];
  created: number;
  model: string;
  system_fingerprint: string;
  choices: CompletionChoice[];
  usage?: Record<string, unknown> | null;
}

/** A completion or chunk with these choices. */
function completionObject(
  head: CompletionHead,
  choices: CompletionChoice[],
  { completionObject: object }: Compatibility,
): CompletionObject {
  const { id, created, model, systemFingerprint } = head;
  return { id, object, created, model, system_fingerprint: systemFingerprint, choices };
}

/** Log-probabilities of tokens that follow `offset` units of text. */
function completionLogprobs(
  tokens: PromptLogprobs,
  asked: CompletionStreamOptions['logprobs'],
  offset: number,
): CompletionLogprobs {
  // A character of several tokens counts where it is complete.
  const decoder = new TextDecoder();
  let position = offset;
  const offsets = tokens.map(({ bytes }) => {
    const start = position;
    position += decoder.decode(Uint8Array.from(bytes), { stream: true }).length;
    return start;
  });
  const isCounted = typeof asked === 'number';
  return {
    tokens: tokens.map(({ token }) => token),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    top_logprobs: tokens.map((token) => topLogprobs(token, isCounted)),
    text_offset: offsets,
    content: logprobEntries(tokens.filter(isScored)),
  };
}

/** @param withChosen the chosen token is told beside the most likely ones */
function topLogprobs(
  { token, logprob, top }: PromptLogprobs[number],
  withChosen: boolean,
): Record<string, number> | null {
  if (logprob === null) return null;
  const likely = Object.fromEntries(top.map((each) => [each.token, each.logprob]));
  return withChosen ? { ...likely, [token]: logprob } : likely;
}

function isScored(token: PromptLogprobs[number]): token is TokenLogprob {
  return token.logprob !== null;
}

/** What the chunks need besides the generation. */
export interface CompletionStreamOptions {
  /** A last chunk without choices tells the usage; the others have `usage: null`. */
  includeUsage: boolean;
  /** Whether log-probabilities were asked for, and in which form. */
  logprobs: number | boolean | null | undefined;
  compatibility: Compatibility;
}

interface StreamState extends CompletionStreamOptions {
  head: CompletionHead;
  /** Length of each choice's text so far. */
  offsets: number[];
  /** Why the first choice ended. */
  stopReason: 'stop' | 'length';
}

/** The last event of a stream that did not break. */
export const DONE = '[DONE]';

/** One chunk per piece of text, one with the `finish_reason` per choice, the usage if it was asked for, then `[DONE]`. */
export function renderCompletion(
  headOf: HeadOf,
  options: CompletionStreamOptions,
): Render<CompletionObject | typeof DONE, CompletionEvent> {
  let state: StreamState | undefined;
  return (event, chunks) => {
    if (event.type === 'start') state = { ...options, head: headOf(event.model), offsets: [], stopReason: 'stop' };
    if (!state) throw new InferenceError('internal', 'The engine sent output before its first event.');
    const chunk = toChunk(event, state);
    if (chunk) chunks.push(chunk);
    if (event.type === 'finish') chunks.push(DONE);
  };
}

function toChunk(event: CompletionEvent, state: StreamState): CompletionObject | undefined {
  switch (event.type) {
    case 'echo':
    case 'text-delta': {
      const offset = state.offsets[event.choice] ?? 0;
      state.offsets[event.choice] = offset + event.text.length;
      const asks = state.logprobs != null && state.logprobs !== false;
      const logprobs = asks ? completionLogprobs(event.logprobs ?? [], state.logprobs, offset) : null;
      return withChoice({ index: event.choice, text: event.text, logprobs, finish_reason: null }, state);
    }
    case 'choice-finish': {
      const reason = finishReason(event.reason);
      if (event.choice === 0) state.stopReason = reason;
      return withChoice({ index: event.choice, text: '', logprobs: null, finish_reason: reason }, state);
    }
    case 'finish':
      if (!state.includeUsage) return undefined;
      return {
        ...completionObject(state.head, [], state.compatibility),
        usage: usageObject(event.usage, state.stopReason),
      };
    default:
      return undefined;
  }
}

/** Text completions call no tools. */
function finishReason(reason: 'stop' | 'length' | 'tool-calls'): 'stop' | 'length' {
  return reason === 'length' ? 'length' : 'stop';
}

function withChoice(choice: CompletionChoice, state: StreamState): CompletionObject {
  const chunk = completionObject(state.head, [choice], state.compatibility);
  return state.includeUsage ? { ...chunk, usage: null } : chunk;
}
