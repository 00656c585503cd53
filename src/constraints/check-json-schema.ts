/** The check of a client's JSON Schema, before any model sees it. @module */
import { InferenceError } from '../errors/inference-error.js';
import type { JsonSchema } from '../request/tool.js';
import { GrammarRules } from './grammar/grammar-rules.js';
import { StructureProblem, readSchemaDocument } from './schema/schema-document.js';
import { SchemaGrammar } from './schema/schema-grammar.js';
import { SchemaProblem } from './schema/schema-problem.js';

/**
 * Makes sure that `compileConstraint` can keep this schema to the letter. Pure; takes milliseconds.
 * Throws InferenceError `invalid_request`: `param` is the dotted place, the message names the rule.
 * @param param where the schema stands in the request, e.g. `response_format.json_schema.schema`
 */
export function checkJsonSchema(schema: unknown, param: string): asserts schema is JsonSchema {
  const paths = new Map<object, string>();
  try {
    const document = readSchemaDocument(schema);
    for (const [node, path] of document.paths) paths.set(node, path);
    const rules = new GrammarRules();
    const root = new SchemaGrammar(document, rules, { language: 'json', spacing: 'compact' }).root();
    if (rules.toEbnf(root) === undefined)
      throw new StructureProblem('', 'allows no finite value, so nothing can be generated');
  } catch (error) {
    if (error instanceof SchemaProblem) throw asInferenceError(error, param, paths);
    throw error;
  }
}

function asInferenceError(problem: SchemaProblem, param: string, paths: ReadonlyMap<object, string>): InferenceError {
  const node = problem instanceof StructureProblem ? problem.path : ((problem.node && paths.get(problem.node)) ?? '');
  const place = [param, node, problem.keyword ?? ''].filter((part) => part !== '').join('.');
  return new InferenceError('invalid_request', `Invalid schema: \`${place}\` ${problem.message}.`, { param: place });
}
