/** Which syntax a model uses for tool calls and thinking, found out from its chat template. @module */
import { isReasoningFormat, isToolFormat } from '../families/answer-syntax.js';
import { EXPLAINED_FORMAT, MODEL_FAMILIES } from '../families/families.js';
import type { ModelFamily } from '../families/format/model-family.js';
import type { ReasoningFormat, ToolFormat } from '../../core/models/answer-formats.js';
import { templateTraits } from './template-traits.js';

const families: readonly ModelFamily[] = MODEL_FAMILIES;

/**
 * The syntax of tool calls, told by a call that the template writes; else by a prompt in which it declares a tool; else by
 * its source. A template that knows nothing of tools gets the one that prompts explain.
 * @param override from the catalog entry; unknown names are ignored
 */
export function detectToolFormat(chatTemplate: string | undefined, override?: string): ToolFormat {
  if (override !== undefined && isToolFormat(override)) return override;
  if (chatTemplate === undefined) return 'none';
  const { call, prompt, tools } = templateTraits(chatTemplate);
  const shown = tools === 'never' ? [call] : [call, prompt, chatTemplate];
  for (const text of shown) {
    const found = families.find((family) => family.tools?.recognise(text));
    if (found && isToolFormat(found.name)) return found.name;
  }
  return EXPLAINED_FORMAT;
}

/**
 * The syntax of thinking, of which the template's source speaks: thoughts of earlier answers are hardly ever rendered.
 * @param override from the catalog entry; unknown names are ignored
 */
export function detectReasoningFormat(chatTemplate: string | undefined, override?: string): ReasoningFormat {
  if (override !== undefined && isReasoningFormat(override)) return override;
  if (chatTemplate === undefined) return 'none';
  const found = families.find(({ reasoning }) => reasoning?.recognise(chatTemplate));
  return found && isReasoningFormat(found.name) ? found.name : 'none';
}
