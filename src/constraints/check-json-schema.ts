/** The check of a client's JSON Schema, before any model sees it. @module */
import { InferenceError } from '../errors/inference-error.js';
import type { JsonSchema } from '../request/tool.js';
import { GrammarRules } from '../grammar/grammar-rules.js';
import { type SchemaDocument, StructureProblem, readSchemaDocument } from './schema/schema-document.js';
import { SchemaGrammar } from './schema/schema-grammar.js';
import { SchemaProblem } from '../grammar/schema-problem.js';
import { WorkBudget } from '../grammar/work-budget.js';

/**
 * Makes sure that `compileConstraint` can keep this schema to the letter. Pure; takes milliseconds, and of a hostile
 * schema no more than `work` allows.
 * Throws InferenceError `invalid_request`: `param` is the dotted place, the message names the rule.
 * @param param where the schema stands in the request, e.g. `response_format.json_schema.schema`
 * @param work one for all schemas of a field, see {@link schemaWork}
 */
export function checkJsonSchema(
  schema: unknown,
  param: string,
  work: WorkBudget = schemaWork(),
): asserts schema is JsonSchema {
  let places: SchemaDocument['places'] = new Map();
  try {
    const document = readSchemaDocument(schema, work);
    places = document.places;
    const rules = new GrammarRules(work);
    const root = new SchemaGrammar(document, rules, { language: 'json', spacing: 'compact' }).root();
    if (rules.toEbnf(root) === undefined)
      throw new SchemaProblem('allows no finite value, so nothing can be generated');
  } catch (error) {
    if (error instanceof SchemaProblem) throw asInferenceError(error, param, places);
    throw error;
  }
}

/** What all schemas of one field of a request may cost together. */
export function schemaWork(): WorkBudget {
  return new WorkBudget();
}

/** Characters of a place that are told. */
const LONGEST_PLACE = 500;

function asInferenceError(problem: SchemaProblem, param: string, places: SchemaDocument['places']): InferenceError {
  const place = problem instanceof StructureProblem ? problem.place : problem.node && places.get(problem.node);
  const path = [param, place?.path ?? '', problem.keyword ?? ''].filter((part) => part !== '').join('.');
  const told = path.length > LONGEST_PLACE ? `${path.slice(0, LONGEST_PLACE)}…` : path;
  return new InferenceError('invalid_request', `Invalid schema: \`${told}\` ${problem.message}.`, { param: told });
}
