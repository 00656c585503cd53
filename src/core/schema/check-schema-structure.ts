/** The check of a client's JSON Schema before any model sees it. @module */
import type { JsonSchema } from '../request/tool.js';
import { WorkBudget } from './work-budget.js';
import { readSchemaDocument } from './schema-document.js';
import { withSchemaErrors } from './schema-error.js';

/**
 * Makes sure that this is a schema, of a size that makes sense. Whether a grammar can keep it is known when the model's
 * worker has made that grammar, once, before the answer begins; the error is of the same kind.
 * Throws InferenceError `invalid_request`: `param` is the dotted place, the message names the rule.
 * @param param where the schema stands in the request, e.g. `response_format.json_schema.schema`
 * @param work one for all schemas of a field, see {@link schemaWork}
 */
export function checkSchemaStructure(
  schema: unknown,
  param: string,
  work: WorkBudget = schemaWork(),
): asserts schema is JsonSchema {
  withSchemaErrors(param, () => readSchemaDocument(schema, work));
}

/** What all schemas of one field of a request may cost together. */
export function schemaWork(): WorkBudget {
  return new WorkBudget();
}
