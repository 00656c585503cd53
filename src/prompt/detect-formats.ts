/** Which syntax a model uses for tool calls and thinking, read from its chat template. @module */
import { isReasoningFormat, isToolFormat, modelFamilies } from '../families/answer-syntax.js';
import type { ReasoningFormat, ToolFormat } from '../families/families.js';
import { declaresTools } from './declares-tools.js';

/**
 * The syntax of tool calls. A template that knows nothing of tools gets Hermes: the prompt then explains that syntax.
 * @param override from the catalog entry; unknown names are ignored
 */
export function detectToolFormat(chatTemplate: string | undefined, override?: string): ToolFormat {
  if (override !== undefined && isToolFormat(override)) return override;
  if (chatTemplate === undefined) return 'none';
  const evidence = { source: chatTemplate };
  const found = declaresTools(chatTemplate) && modelFamilies().find(({ tools }) => tools?.recognise(evidence));
  return found && isToolFormat(found.name) ? found.name : 'hermes';
}

/** The syntax of thinking. @param override from the catalog entry; unknown names are ignored */
export function detectReasoningFormat(chatTemplate: string | undefined, override?: string): ReasoningFormat {
  if (override !== undefined && isReasoningFormat(override)) return override;
  if (chatTemplate === undefined) return 'none';
  const evidence = { source: chatTemplate };
  const found = modelFamilies().find(({ reasoning }) => reasoning?.recognise(evidence));
  return found && isReasoningFormat(found.name) ? found.name : 'none';
}
