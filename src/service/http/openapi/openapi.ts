/** The OpenAPI 3.1 document, made from the schemas that validate. Loaded on the first request for it. @module */
import { toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import type { Compatibility } from '../policy/compatibility.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import { describeField } from '../field-descriptions.js';
import type { Catalog } from '../../../core/models/catalog.js';
import { ANSWER_PARTS, describeAnswer } from './answers.js';
import { either, exactly, type JsonSchema, ref, text } from './json-schema.js';
import { nameVariants } from './name-variants.js';
import { addRules, createExample, requireFileData, typeForm } from './requests.js';
import { tidySchema, withOtherTypes } from './tidy-schema.js';
import { answerErrorShape, errorStatus } from '../errors/error-table.js';
import type { ErrorShape } from '../../../core/errors/error-bodies.js';
import type { EndpointName } from '../errors/error-table.js';
import { INFERENCE_ERROR_CODES } from '../../../core/errors/inference-error.js';

/** What the document depends on beside the endpoints. */
export interface Described {
  /** The server's address in the document, e.g. `/v1`. */
  prefix: string;
  compatibility: Compatibility;
  /** Whose models the examples name. */
  catalog: Catalog;
  /** Every request must have a key. */
  needsKey: boolean;
}

/** A conversation begins without items, and a vector store without files. */
const MAY_SAY_NOTHING = new Set(['/conversations', '/vector_stores']);

export async function openApiDocument(endpoints: readonly Endpoint[], described: Described): Promise<JsonSchema> {
  const { prefix, needsKey } = described;
  const components: Record<string, JsonSchema> = { ...ERROR_SCHEMAS, ...ANSWER_PARTS };
  const paths: Record<string, JsonSchema> = {};
  for (const endpoint of endpoints) {
    const path = pathOf(endpoint);
    (paths[path] ??= {})[endpoint.method.toLowerCase()] = await operation(endpoint, described, components);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Inpage',
      version: '1',
      description: 'Inference by models that run inside the page. Unknown fields are accepted and ignored everywhere.',
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'Inpage', url: 'https://github.com/inpage-dev/inpage' },
    },
    servers: [{ url: prefix }],
    security: [{ bearer: [] }, { apiKey: [] }, ...(needsKey ? [] : [{}])],
    tags: [...new Set(endpoints.map(({ name }) => name))].map((name) => ({
      name,
      description: `The endpoints of ${name}.`,
    })),
    paths,
    components: {
      schemas: usedSchemas(components, paths),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      },
    },
  };
}

function pathOf({ path }: Endpoint): string {
  return path.replaceAll(/:(\w+)(\{[^}]*\})?/g, '{$1}');
}

/** Without the schemas that no reference leads to: some shapes of errors are those of a single mode. */
function usedSchemas(components: Record<string, JsonSchema>, paths: JsonSchema): JsonSchema {
  const used = new Set<string>();
  const visit = (value: unknown): void => {
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (used.has(name!)) continue;
      used.add(name!);
      visit(components[name!]);
    }
  };
  visit(paths);
  return Object.fromEntries(Object.entries(components).filter(([name]) => used.has(name)));
}

/** @param components what schemas are moved to that several places refer to */
async function operation(
  endpoint: Endpoint,
  described: Described,
  components: Record<string, JsonSchema>,
): Promise<JsonSchema> {
  const { compatibility } = described;
  const { name, method, path, summary } = endpoint;
  const operationId =
    `${method.toLowerCase()}${path.replaceAll(/[^A-Za-z]+(\w)/g, (_, letter: string) => letter.toUpperCase())}`.replaceAll(
      /[^A-Za-z]/g,
      '',
    );
  const body = await requestBody(endpoint, described, { operationId, components });
  return {
    operationId,
    summary,
    description: summary,
    tags: [name],
    ...parameters(endpoint),
    ...(body && { requestBody: body }),
    responses: {
      200: answerResponse(endpoint, compatibility, components),
      ...errorResponses(name, compatibility),
    },
  };
}

function answerResponse(
  endpoint: Endpoint,
  compatibility: Compatibility,
  components: Record<string, JsonSchema>,
): JsonSchema {
  const described = describeAnswer(`${endpoint.method} ${pathOf(endpoint)}`, compatibility);
  const { name, schema, others = {}, failure } = described;
  const media = Object.entries(others).map(([type, content]) => [type, { schema: content }]);
  if (name === undefined || !schema) return { description: 'The answer.', content: Object.fromEntries(media) };
  components[name] = schema;
  const json = failure ? either(ref(name), ref(failure)) : ref(name);
  const content = { 'application/json': { schema: json }, ...Object.fromEntries(media) };
  return { description: 'The answer, whole or as a stream.', content };
}

function parameters({ path, query = {} }: Endpoint): JsonSchema {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const inQuery = Object.entries(query).map(([name, said]) => ({
    name,
    in: 'query',
    ...(typeof said === 'string' ? { description: said, schema: { type: 'boolean', default: false } } : said),
  }));
  const all = [...inPath, ...inQuery];
  return all.length === 0 ? {} : { parameters: all };
}

/** Undefined for an operation that reads no body. */
async function requestBody(
  endpoint: Endpoint,
  { compatibility, catalog }: Described,
  { operationId, components }: { operationId: string; components: Record<string, JsonSchema> },
): Promise<JsonSchema | undefined> {
  const { path, requestType = 'application/json' } = endpoint;
  const described = await describedBodySchema(endpoint, compatibility);
  if (!described) return undefined;
  const schema = withComponents(requireFileData(described), operationId, components);
  if (requestType === 'multipart/form-data') typeForm(schema);
  addRules(path, schema);
  const example = createExample(path, catalog);
  return { required: !MAY_SAY_NOTHING.has(path), content: { [requestType]: { schema, ...(example && { example }) } } };
}

/** Moves the `$defs` of a schema to the document's components, where references lead to.  */
function withComponents(
  { $defs: definitions = {}, ...schema }: JsonSchema,
  operationId: string,
  components: Record<string, JsonSchema>,
): JsonSchema {
  const title = operationId.charAt(0).toUpperCase() + operationId.slice(1);
  const moved = (value: unknown): JsonSchema =>
    JSON.parse(
      JSON.stringify(value).replaceAll(/"#\/\$defs\/([^"]+)"/g, `"#/components/schemas/${title}Part$1"`),
    ) as JsonSchema;
  for (const [name, definition] of Object.entries(definitions as object)) {
    // Only schemas that are chosen by a `type` become definitions.
    const named = `${title}Part${name}`;
    components[named] = nameVariants(moved(withOtherTypes(definition as JsonSchema)), named, components);
  }
  return moved(schema);
}

/** The schema of an endpoint's body, with what its fields mean; undefined: it takes none. */
export async function describedBodySchema(
  { name, requestSchema }: Endpoint,
  compatibility: Compatibility,
): Promise<JsonSchema | undefined> {
  const checked = await requestSchema?.(compatibility);
  if (!checked) return undefined;
  const schema = requestBodySchema(checked);
  addDescriptions(schema, '', name);
  return schema;
}

/** @param path of the value that the schema describes; '' for the body */
function addDescriptions(schema: JsonSchema, path: string, endpoint: EndpointName): void {
  for (const variants of [schema['anyOf'], schema['oneOf'], schema['allOf']])
    for (const variant of (variants ?? []) as JsonSchema[]) addDescriptions(variant, path, endpoint);
  if (typeof schema['items'] === 'object') addDescriptions(schema['items'] as JsonSchema, `${path}[]`, endpoint);
  for (const [name, property] of Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>)) {
    const inner = path === '' ? name : `${path}.${name}`;
    const description = describeField(endpoint, inner);
    if (description !== undefined) property['description'] = description;
    addDescriptions(property, inner, endpoint);
  }
}

/** A request's schema as JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export function requestBodySchema(schema: GenericSchema): JsonSchema {
  const { $schema: _, ...document } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode: 'input',
    // What has no JSON Schema (a check in code) is left out; a test compares both on generated bodies.
    errorMode: 'ignore',
  });
  return tidySchema(document);
}

/** Endpoints whose answers a model can write wrongly. */
const GENERATING = new Set<EndpointName>(['chat-completions', 'messages', 'responses', 'ollama']);

/** One response per status, with every shape that it may have on this endpoint. */
function errorResponses(endpoint: EndpointName, compatibility: Compatibility): JsonSchema {
  const shapes = new Map<number, Set<ErrorShape>>();
  for (const code of INFERENCE_ERROR_CODES) {
    const status = errorStatus({ code, details: {} }, endpoint, compatibility);
    const isMade = code !== 'model_output_invalid' || GENERATING.has(endpoint);
    if (status === 200 || code === 'cancelled' || !isMade) continue;
    shapes.set(status, (shapes.get(status) ?? new Set()).add(answerErrorShape(endpoint, code, compatibility)));
  }
  const statuses = [...shapes].toSorted(([left], [right]) => left - right);
  return Object.fromEntries(
    statuses.map(([status, found]) => [status, { description: 'An error.', content: errorContent([...found]) }]),
  );
}

function errorContent(shapes: readonly ErrorShape[]): JsonSchema {
  const content: JsonSchema = {};
  if (shapes.includes('plain')) content['text/plain'] = { schema: { type: 'string' } };
  if (shapes.includes('html')) content['text/html'] = { schema: { type: 'string' } };
  const references = shapes.flatMap((shape) =>
    shape in ERROR_SCHEMAS ? [{ $ref: `#/components/schemas/${shape}` }] : [],
  );
  if (references.length > 0)
    content['application/json'] = { schema: references.length === 1 ? references[0] : { anyOf: references } };
  return content;
}

const textOrNull = { type: ['string', 'null'] };
const uuid = { type: 'string', format: 'uuid' };

const generalTypes = [
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'not_found_error',
  'rate_limit_error',
  'timeout_error',
  'internal_error',
];
const general = { message: text, type: { enum: generalTypes }, code: textOrNull, param: textOrNull };

const messagesTypes = [
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'not_found_error',
  'rate_limit_error',
  'api_error',
];
const messages = { type: { enum: messagesTypes }, message: text };

/** JSON Schemas of the error shapes. `plain` and `html` are no JSON. */
export const ERROR_SCHEMAS: Partial<Record<ErrorShape, Record<string, unknown>>> = {
  general: exactly({ error: exactly(general), request_id: uuid }),
  'model-output': exactly({ error: exactly({ ...general, model_output: text }), request_id: uuid }),
  simple: exactly({ error: text }),
  told: exactly({ error: text }),
  flat: exactly({ error: text, error_code: textOrNull, error_param: textOrNull, error_type: text }),
  messages: exactly({
    type: { const: 'error' },
    error: exactly({ ...messages, param: textOrNull, code: textOrNull }, ['param', 'code']),
    request_id: uuid,
  }),
  'messages-bare': exactly({ type: { const: 'error' }, error: exactly(messages), request_id: uuid }),
};
