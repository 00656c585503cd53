/** Checks a client's JSON Schema before a model gets it, with errors that name the path. @module */
import type { JsonSchema } from '../request/tool.js';
import { WorkBudget } from './limits/work-budget.js';
import { readSchemaDocument, type SchemaDocument, StructureProblem } from './schema-document.js';
import { InferenceError } from '../errors/inference-error.js';
import { SchemaProblem } from './limits/schema-problem.js';

/**
 * Makes sure that this is a JSON Schema within the size limits. Whether a grammar can express it is known only when the
 * model's worker has compiled it, before the answer begins; that error has the same form.
 * Throws InferenceError `invalid_request`: `param` is the dotted path, the message names the rule.
 * @param param where the schema stands in the request, e.g. `response_format.json_schema.schema`
 * @param work what all schemas of one field may cost together
 */
export function checkSchemaStructure(
  schema: unknown,
  param: string,
  work: WorkBudget = new WorkBudget(),
): asserts schema is JsonSchema {
  withSchemaErrors(param, () => readSchemaDocument(schema, work));
}

/** Where the schemas of a document stand. */
type SchemaPaths = SchemaDocument['paths'];

/**
 * The result of `make`. A SchemaProblem becomes InferenceError `invalid_request`: `param` is the dotted path, the
 * message names the rule. `make` calls `locate` with the paths of its document as soon as it knows them.
 * @param param where the schema stands in the request, e.g. `response_format.json_schema.schema`
 */
export function withSchemaErrors<T>(param: string, make: (locate: (paths: SchemaPaths) => void) => T): T {
  let paths: SchemaPaths = new Map();
  try {
    return make((known) => (paths = known));
  } catch (error) {
    if (error instanceof SchemaProblem) throw schemaError(error, param, paths);
    throw error;
  }
}

/** Most characters of a path in an error message. */
const MAX_PATH_LENGTH = 500;

function schemaError(problem: SchemaProblem, param: string, paths: SchemaPaths): InferenceError {
  const within = problem instanceof StructureProblem ? problem.path : problem.node && paths.get(problem.node);
  const path = [param, within?.path ?? '', problem.keyword ?? ''].filter((part) => part !== '').join('.');
  const told = path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…` : path;
  return new InferenceError('invalid_request', `Invalid schema: \`${told}\` ${problem.message}.`, { param: told });
}
