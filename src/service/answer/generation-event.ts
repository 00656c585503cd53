/**
 * The events that dialects render: blocks of text, thinking and calls, and measured facts. The same stream feeds streaming
 * and collected answers.
 * @module
 */
import type { IgnoredParts, PromptLogprobs, TokenLogprob } from '../../core/events/token-event.js';

/** Measured facts of one request. Times are Unix seconds with fraction, durations seconds. */
export interface GenerationUsage {
  promptTokens: number;
  cachedTokens: number;
  /** All choices together, reasoning included. */
  completionTokens: number;
  reasoningTokens: number;
  startTime: number;
  endTime: number;
  /** Absent when nothing was generated. */
  timeToFirstToken?: number;
  /** Seconds from the first token to the last. */
  timeAfterFirst?: number;
  /** Seconds from the first token to the eleventh (or the last, when fewer). */
  timeFirstTen?: number;
}

/**
 * Why a finished choice is not what was asked for.
 * - `structured-output`: the JSON is incomplete (cut by the cap) or does not parse
 * - `tool-call`: a call was cut before its arguments ended, or they cannot be read as a JSON object
 * - `tool-choice`: a required or forced call did not come
 */
export interface OutputFailure {
  type: 'structured-output' | 'tool-call' | 'tool-choice';
  /** The choice's raw text, tags included. */
  rawOutput: string;
  /** The token limit is the reason, not the model. */
  isCut: boolean;
}

/**
 * Blocks of one choice never overlap: each `-start` is followed by its deltas and its `-end` before the next block of
 * that choice starts. Choices interleave. `start` is first, `finish` last. Failures are thrown as InferenceError.
 */
export type GenerationEvent =
  | {
      type: 'start';
      /** Catalog id of the model that answers, which is a fallback when the one asked for cannot run here. */
      model: string;
      promptTokens: number;
      cachedTokens: number;
      /** Of a prompt that came as token ids: its text, where the engine knows it. */
      promptText?: string;
      /** Of the prompt's tokens, where they were asked for. */
      promptLogprobs?: PromptLogprobs;
      /** What of the request has no effect with this model. */
      ignored?: IgnoredParts;
    }
  | { type: 'reasoning-start'; choice: number }
  | { type: 'reasoning-delta'; choice: number; text: string }
  | { type: 'reasoning-end'; choice: number }
  | { type: 'text-start'; choice: number }
  /** `logprobs`: of the tokens since the last delta; with it, `text` may be empty. */
  | { type: 'text-delta'; choice: number; text: string; logprobs?: TokenLogprob[] }
  | { type: 'text-end'; choice: number }
  /** `index` counts the calls of the choice from 0; `id` is unique. */
  | { type: 'tool-call-start'; choice: number; index: number; id: string; name: string }
  | { type: 'tool-call-delta'; choice: number; index: number; argumentsDelta: string }
  | { type: 'tool-call-end'; choice: number; index: number }
  | {
      type: 'choice-finish';
      choice: number;
      /** `stop` when a stop sequence fired, even inside a call or after some. */
      reason: 'stop' | 'length' | 'tool-calls';
      stopSequence?: string;
      failure?: OutputFailure;
      /** Tokens of this choice, reasoning included. */
      completionTokens: number;
    }
  | { type: 'finish'; usage: GenerationUsage };
