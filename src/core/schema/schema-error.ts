/** A schema that is refused, as an error that names the place. @module */
import { InferenceError } from '../errors/inference-error.js';
import { SchemaProblem } from './schema-problem.js';
import { type SchemaDocument, StructureProblem } from './schema-document.js';

/** Where the schemas of a document stand. */
export type SchemaPlaces = SchemaDocument['places'];

/**
 * What `make` makes. A SchemaProblem becomes InferenceError `invalid_request`: `param` is the dotted place, the message
 * names the rule. `make` gets a way to tell the places of its document as soon as it knows them.
 * @param param where the schema stands in the request, e.g. `response_format.json_schema.schema`
 */
export function withSchemaErrors<T>(param: string, make: (locate: (places: SchemaPlaces) => void) => T): T {
  let places: SchemaPlaces = new Map();
  try {
    return make((known) => (places = known));
  } catch (error) {
    if (error instanceof SchemaProblem) throw schemaError(error, param, places);
    throw error;
  }
}

/** Characters of a place that are told. */
const LONGEST_PLACE = 500;

function schemaError(problem: SchemaProblem, param: string, places: SchemaPlaces): InferenceError {
  const place = problem instanceof StructureProblem ? problem.place : problem.node && places.get(problem.node);
  const path = [param, place?.path ?? '', problem.keyword ?? ''].filter((part) => part !== '').join('.');
  const told = path.length > LONGEST_PLACE ? `${path.slice(0, LONGEST_PLACE)}…` : path;
  return new InferenceError('invalid_request', `Invalid schema: \`${told}\` ${problem.message}.`, { param: told });
}
