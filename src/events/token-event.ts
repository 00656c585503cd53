/** What a text backend emits: facts about tokens, mostly without meaning yet. `channels/` gives them that. @module */
import type { ReasoningFormat, ToolFormat } from '../families/families.js';
import type { ChannelPart } from '../families/parsing/channel-part.js';

/** One candidate token with its exact log-probability (after bias and penalties, before temperature and cut-offs). */
export interface TokenCandidate {
  /** The token's text; bytes that are no whole character show as U+FFFD. */
  token: string;
  bytes: number[];
  /** Natural logarithm, at most 0. */
  logprob: number;
}

export interface TokenLogprob extends TokenCandidate {
  /** The most likely tokens at this position, best first, at most `topLogprobs`. */
  top: TokenCandidate[];
}

/** First event of every generation: the prompt is read. */
export interface PromptEvent {
  type: 'prompt';
  /** All tokens of the prompt, cached ones included. */
  promptTokens: number;
  /** Tokens whose keys and values were reused. */
  cachedTokens: number;
  /** Of a prompt that came as token ids: its text. */
  promptText?: string;
  toolFormat: ToolFormat;
  reasoningFormat: ReasoningFormat;
  /** The template ended inside a think block, so the text begins as reasoning. */
  reasoningOpen: boolean;
}

/** One generated token. End-of-turn tokens are not emitted and not counted. */
export interface TokenTextEvent {
  type: 'token';
  /** 0 to n-1. */
  choice: number;
  id: number;
  /** Text that is certain now: whole characters, nothing that may still become a stop sequence. May be empty. */
  text: string;
  logprob?: TokenLogprob;
}

/** What an engine emits instead of tokens when its output is parsed already (a remote model's). Counts as one token. */
export interface PieceEvent {
  type: 'piece';
  /** 0 to n-1. */
  choice: number;
  part: ChannelPart;
  /** Of the tokens that a text piece is made of. */
  logprobs?: TokenLogprob[];
}

/** The counts of an engine whose pieces are no tokens, for the whole request. Comes before the first `end`. */
export interface CountsEvent {
  type: 'counts';
  /** All tokens of the prompt, cached ones included. */
  promptTokens: number;
  cachedTokens: number;
  /** All choices together, reasoning included. */
  completionTokens: number;
  reasoningTokens: number;
}

/** Last event of a choice. */
export interface ChoiceEndEvent {
  type: 'end';
  choice: number;
  /** `stop`: end of turn or a stop sequence; `length`: the cap or the context. */
  reason: 'stop' | 'length';
  /** The stop sequence that fired. */
  stopSequence?: string;
  /** Text that was held back and is certain now. */
  text: string;
}

/** `prompt` first, then tokens or pieces of all choices in any order, one `end` per choice, then the stream closes. */
export type TokenEvent = PromptEvent | TokenTextEvent | PieceEvent | CountsEvent | ChoiceEndEvent;
