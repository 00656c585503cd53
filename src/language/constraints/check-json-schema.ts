/** Checks whether a grammar can express the schemas of a request. @module */
import type { GenerationRequest } from '../../core/request/generation-request.js';
import type { JsonSchema } from '../../core/request/tool.js';
import { GrammarRules, withinSize } from '../grammar/grammar-rules.js';
import { SchemaProblem } from '../../core/schema/limits/schema-problem.js';
import { WorkBudget } from '../../core/schema/limits/work-budget.js';
import { type SchemaDocument } from '../../core/schema/schema-document.js';
import { SchemaGrammar } from './schema/schema-grammar.js';
import { withSchemaErrors } from '../../core/schema/check-schema-structure.js';
import { readPatternedDocument } from './schema/patterned-document.js';

/**
 * For engines that cannot apply grammars: refuses the schemas that the others refuse, so that requests fail alike.
 * @throws InferenceError `invalid_request`
 */
export function checkSchemas({ tools, output }: GenerationRequest): void {
  const work = new WorkBudget();
  for (const { parameters, param = 'tools' } of tools)
    if (parameters !== undefined) checkJsonSchema(parameters, param, work);
  if (output.type === 'json-schema') checkJsonSchema(output.schema, output.param ?? 'response_format');
}

/**
 * Makes sure that a grammar can express this schema exactly. Pure; takes milliseconds, and for a hostile schema at most
 * what `work` allows.
 * Throws InferenceError `invalid_request`: `param` is the dotted path, the message names the rule.
 * @param param where the schema stands in the request, e.g. `response_format.json_schema.schema`
 * @param work one for all schemas of a field
 */
export function checkJsonSchema(
  schema: unknown,
  param: string,
  work: WorkBudget = new WorkBudget(),
): asserts schema is JsonSchema {
  withSchemaErrors(param, (locate) => tryGrammar(schema, work, locate));
}

/**
 * Writes the grammar of a schema, only to see whether there is one. Throws SchemaProblem.
 * @param locate is called with the paths of its document
 * @param also what the values conform to besides
 */
export function tryGrammar(
  schema: unknown,
  work: WorkBudget,
  locate: (paths: SchemaDocument['paths']) => void,
  also?: JsonSchema,
): void {
  const document = readPatternedDocument(schema, work);
  locate(document.paths);
  const ebnf = withinSize(
    (mostStates) => new GrammarRules(work, undefined, mostStates),
    (rules) => rules.toEbnf(new SchemaGrammar(document, rules, { language: 'json', spacing: 'compact' }).root(also)),
  );
  if (ebnf === undefined) throw new SchemaProblem('allows no finite value, so nothing can be generated');
}
