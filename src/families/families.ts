/** All families of models that are known. @module */
import { harmony } from './harmony/harmony.js';
import { hermes } from './hermes/hermes.js';
import { llama3 } from './llama3/llama3.js';
import { mistral } from './mistral/mistral.js';
import type { ModelFamily } from './model-family.js';
import { none } from './none/none.js';
import { pythonic } from './pythonic/pythonic.js';
import { thinkBrackets } from './think-brackets/think-brackets.js';
import { thinkTags } from './think-tags/think-tags.js';

/** Templates are shown to them in this order: of two that recognise one, the first is taken. */
export const MODEL_FAMILIES = [
  harmony,
  mistral,
  hermes,
  llama3,
  pythonic,
  thinkTags,
  thinkBrackets,
  none,
] as const satisfies readonly ModelFamily[];

type KnownFamily = (typeof MODEL_FAMILIES)[number];

/** How a model family writes tool calls: a family of `families/` that has `tools`. */
export type ToolFormat = Extract<KnownFamily, { tools: object }>['name'];

/** How a model family writes its thinking: a family of `families/` that has `reasoning`. */
export type ReasoningFormat = Extract<KnownFamily, { reasoning: object }>['name'];
