/** What a scripted model says: its types, which are public, and their schema. @module */
import * as v from 'valibot';
import { count, fields, number, oneOf, optional, type Same, text, isObject } from './option-schema.js';
import { RECORDED_STEP, type RecordedStep } from './recorded-answer.js';
import { REPLY_MATCH, type ReplyMatch } from './reply-match.js';
import { FAILURE_STATUSES, type FailureStatus } from './simulated-failure.js';
import { recordOf } from '../schema/record-of.js';

/** A failure in place of an answer. */
export interface ReplyError {
  /** The HTTP status; the body has the shape of the endpoint. */
  status: FailureStatus;
  /** Seconds, for 429, 503 and 529. @default 1 */
  retryAfter?: number;
  /** Fail only after this many tokens of the text. A stream then ends with its error event. @default 0 */
  afterTokens?: number;
}

/** One fixed answer of a scripted model. */
export interface ScriptedReply {
  /**
   * The reply is used when the last message contains this text, or when all conditions of the object hold. If you leave it
   * out, the reply is used when no other matches.
   */
  match?: string | ReplyMatch;
  /** Answer only this many requests; after that the reply is passed over. If you leave it out, there is no limit. */
  times?: number;
  /** The answer's text. */
  text?: string;
  /** What the model thinks before it answers. */
  reasoning?: string;
  /** Calls after the text, in this order. */
  toolCalls?: { name: string; arguments: object }[];
  /** Models of task `rerank`: how relevant a document is that contains `match`, 0 to 1. */
  score?: number;
  /**
   * Decisions: the weight of each option by its value or label, of a predicate `Yes` and `No`; an option that is not named
   * has none. Used where the question or the input contains `match`.
   */
  scores?: Record<string, number>;
  /** Decisions: the question is refused. */
  refusal?: boolean;
  /** `text` is written this many times. @default 1 */
  repeat?: number;
  /** Fail the request instead of answering it. */
  error?: ReplyError;
  /** The script's `tokenDelayMs` for this reply. */
  tokenDelayMs?: number;
  /** Milliseconds that the first token takes longer. */
  firstTokenDelayMs?: number;
  /** Written by the recorder: the request of this answer, which this reply then answers whatever `match` says. */
  request?: string;
  /** Written by the recorder: the answer with its timing, in place of `text`, `reasoning` and `toolCalls`. */
  recorded?: RecordedStep[];
}

/** How the error of a request begins that no reply fitted: by it, tests find these requests. */
export const NO_REPLY_MATCHES = 'No scripted reply matches this request.';

/** What a `scripted` model says and how fast. For tests and demos without a real model. */
export interface Script {
  /** The first whose `match` fits the request answers, else the first without `match`, else see `onUnmatched`. */
  replies: ScriptedReply[];
  /**
   * When no reply matches a chat request: fail it with a 400 that names the most similar replies, answer with an empty text
   * and a warning in the console, or answer with an empty text. A model without any reply always answers with an empty text.
   * @default 'error'
   */
  onUnmatched?: 'error' | 'warn' | 'empty';
  /** The model accepts images. Each counts as one token of the prompt. @default false */
  images?: boolean;
  /** Pause before each token, in milliseconds. Default: none; recorded answers keep their own timing. */
  tokenDelayMs?: number;
  /** Fail every request: never answer, throw, or report the engine as gone. */
  failWith?: 'timeout' | 'internal' | 'unavailable';
}

const someText = text('a text');
const toolCall = fields({ name: someText, arguments: v.custom<object>(isObject, 'an object') }, 'a field of a call');
const milliseconds = number('a number of milliseconds', (value) => value >= 0);
const wholeNumber = number('a whole number', (value) => Number.isInteger(value) && value >= 0);
const replyError = fields(
  {
    status: v.picklist(FAILURE_STATUSES, `one of ${FAILURE_STATUSES.join(', ')}`),
    retryAfter: optional(number('a number of seconds', (value) => value >= 0)),
    afterTokens: optional(wholeNumber),
  },
  'a field of `error`',
);
/** @internal What a reply must be. */
export const SCRIPTED_REPLY = fields(
  {
    match: optional(REPLY_MATCH),
    times: optional(count),
    text: optional(someText),
    reasoning: optional(someText),
    toolCalls: optional(v.array(toolCall, 'an array of calls')),
    score: optional(number('a number from 0 to 1', (value) => value >= 0 && value <= 1)),
    scores: optional(
      recordOf(
        v.string(),
        number('a number of at least 0', (value) => value >= 0),
        'an object of numbers',
      ),
    ),
    refusal: optional(v.boolean('true or false')),
    repeat: optional(number('a whole number', Number.isInteger)),
    error: optional(replyError),
    tokenDelayMs: optional(milliseconds),
    firstTokenDelayMs: optional(milliseconds),
    request: optional(someText),
    recorded: optional(v.array(RECORDED_STEP, 'an array of recorded steps')),
  },
  'a field of a reply',
);
/** @internal What a script must be. */
export const SCRIPT = fields(
  {
    replies: v.array(SCRIPTED_REPLY, 'an array of replies'),
    onUnmatched: optional(oneOf(['error', 'warn', 'empty'])),
    images: optional(v.boolean('true or false')),
    tokenDelayMs: optional(milliseconds),
    failWith: optional(oneOf(['timeout', 'internal', 'unavailable'])),
  },
  'a field of `script`',
);
true satisfies Same<v.InferInput<typeof SCRIPT>, Script>;
