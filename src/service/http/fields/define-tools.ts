/** The tools of a request whose schemas were checked: apart from what every request needs. @module */
import { checkSchemaStructure } from '../../../core/schema/check-schema-structure.js';
import { WorkBudget } from '../../../core/schema/limits/work-budget.js';
import type { Tool } from '../../../core/request/tool.js';
import { warnOfParameters } from './schema-mistakes.js';
import type { SchemaCheck } from './tools.js';
import { warnOnce } from './warn-once.js';

/** Letters of a name that are printed. */
const MAX_NAME_LENGTH = 64;

/**
 * Of several tools with one name the first counts: a call could not tell them apart.
 * @throws InferenceError `invalid_request` for parameters that are no JSON Schema
 */
export function defineTools(tools: readonly Tool[], check: SchemaCheck): Tool[] {
  const byName = new Map<string, Tool>();
  let work: WorkBudget | undefined;
  for (const tool of tools) {
    const { name, parameters, param = 'tools' } = tool;
    const isExact = check === 'exact' || (check === 'loose' && tool.strict === true);
    if (isExact && parameters !== undefined) checkSchemaStructure(parameters, param, (work ??= new WorkBudget()));
    if (typeof parameters === 'object') warnOfParameters(parameters, param);
    if (!byName.has(name)) byName.set(name, isExact ? tool : { ...tool, loose: true });
    else
      warnOnce(
        `a request has two tools called \`${name.slice(0, MAX_NAME_LENGTH)}\`. Only the first is offered to the model.`,
      );
  }
  return [...byName.values()];
}
