/** Which requests a scripted reply answers: the public type and its schema. @module */
import * as v from 'valibot';
import { fields, number, optional, type Same, text } from './option-schema.js';

/**
 * What a request must be for a reply to answer it: all fields that are given must hold. The text fields take one text or
 * several, which must all occur.
 */
export interface ReplyMatch {
  /** In the last message, whatever its role but `system`. The same as a plain string. */
  last?: string | string[];
  /** In any message, tool results and system messages included. */
  any?: string | string[];
  /** In the system messages. */
  system?: string | string[];
  /** In the last message of the user. */
  user?: string | string[];
  /** In a tool result after the last message of the user. */
  toolResult?: string | string[];
  /** How many assistant messages the request has. */
  turn?: number;
  /** Whether a tool result comes after the last message of the user. */
  hasToolResult?: boolean;
  /** The request offers a tool of this name. */
  tool?: string;
  /** How many images the last message of the user has. */
  images?: number;
}

const someText = text('a text');
const texts = v.union([v.string(), v.array(v.string())], 'a string or an array of strings');
const wholeNumber = number('a whole number', (value) => Number.isInteger(value) && value >= 0);

const conditions = fields(
  {
    last: optional(texts),
    any: optional(texts),
    system: optional(texts),
    user: optional(texts),
    toolResult: optional(texts),
    turn: optional(wholeNumber),
    hasToolResult: optional(v.boolean('true or false')),
    tool: optional(someText),
    images: optional(wholeNumber),
  },
  'a field of `match`',
);
true satisfies Same<v.InferInput<typeof conditions>, ReplyMatch>;

const someMatch = v.string(
  'a string, or an object with conditions such as `last` and `system`, not a regular expression',
);

/** It may come from another realm. */
const isRegExp = (value: object): boolean => Object.prototype.toString.call(value) === '[object RegExp]';

/** @internal A text, or an object of conditions. */
export const REPLY_MATCH: v.GenericSchema<string | ReplyMatch> = v.lazy((value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRegExp(value) ? conditions : someMatch,
);
