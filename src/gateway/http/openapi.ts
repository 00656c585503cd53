/** The OpenAPI 3.1 document, made from the schemas that validate. Loaded on the first request for it. @module */
import { toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import type { Compatibility } from './policy/compatibility.js';
import type { Endpoint } from './endpoint/endpoint.js';
import { describeField } from './field-descriptions.js';
import { answerErrorShape, ERROR_ROWS } from './errors/error-table.js';
import type { ErrorShape } from '../../core/errors/error-bodies.js';
import type { EndpointName } from './errors/error-table.js';
import { INFERENCE_ERROR_CODES } from '../../core/errors/inference-error.js';

type JsonObject = Record<string, unknown>;

/** @param prefix the server's address in the document, e.g. `/v1` */
export async function openApiDocument(
  endpoints: readonly Endpoint[],
  prefix: string,
  compatibility: Compatibility,
): Promise<JsonObject> {
  const paths: Record<string, JsonObject> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:(\w+)(\{[^}]*\})?/g, '{$1}');
    (paths[path] ??= {})[endpoint.method.toLowerCase()] = await operation(endpoint, compatibility);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Inpage',
      version: '1',
      description: 'Inference by models that run inside the page. Unknown fields are accepted and ignored everywhere.',
    },
    servers: [{ url: prefix }],
    security: [{ bearer: [] }, { apiKey: [] }, {}],
    paths,
    components: {
      schemas: ERROR_SCHEMAS,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      },
    },
  };
}

async function operation(endpoint: Endpoint, compatibility: Compatibility): Promise<JsonObject> {
  return {
    operationId:
      `${endpoint.method.toLowerCase()}${endpoint.path.replaceAll(/[^A-Za-z]+(\w)/g, (_, letter: string) => letter.toUpperCase())}`.replaceAll(
        /[^A-Za-z]/g,
        '',
      ),
    summary: endpoint.summary,
    ...parameters(endpoint),
    ...(endpoint.requestSchema && { requestBody: await requestBody(endpoint, compatibility) }),
    responses: {
      200: { description: 'The answer, whole or as a stream.' },
      ...errorResponses(endpoint.name, compatibility),
    },
  };
}

function parameters({ path, query = {} }: Endpoint): JsonObject {
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

async function requestBody(endpoint: Endpoint, compatibility: Compatibility): Promise<JsonObject> {
  const schema = await describedBodySchema(endpoint, compatibility);
  return { required: true, content: { [endpoint.requestType ?? 'application/json']: { schema } } };
}

/** The schema of an endpoint's body, with what its fields mean; undefined: it takes none. */
export async function describedBodySchema(
  { name, requestSchema }: Endpoint,
  compatibility: Compatibility,
): Promise<JsonObject | undefined> {
  const checked = await requestSchema?.(compatibility);
  if (!checked) return undefined;
  const schema = requestBodySchema(checked);
  addDescriptions(schema, '', name);
  return schema;
}

/** @param path of the value that the schema describes; '' for the body */
function addDescriptions(schema: JsonObject, path: string, endpoint: EndpointName): void {
  for (const variants of [schema['anyOf'], schema['oneOf'], schema['allOf']])
    for (const variant of (variants ?? []) as JsonObject[]) addDescriptions(variant, path, endpoint);
  if (typeof schema['items'] === 'object') addDescriptions(schema['items'] as JsonObject, `${path}[]`, endpoint);
  for (const [name, property] of Object.entries((schema['properties'] ?? {}) as Record<string, JsonObject>)) {
    const inner = path === '' ? name : `${path}.${name}`;
    const description = describeField(endpoint, inner);
    if (description !== undefined) property['description'] = description;
    addDescriptions(property, inner, endpoint);
  }
}

/** A request's schema as JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export function requestBodySchema(schema: GenericSchema): JsonObject {
  const { $schema: _, ...document } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode: 'input',
    // What has no JSON Schema (a check in code) is left out; a test compares both on generated bodies.
    errorMode: 'ignore',
  });
  return document;
}

/** One response per status, with every shape that it may have on this endpoint. */
function errorResponses(endpoint: EndpointName, compatibility: Compatibility): JsonObject {
  const shapes = new Map<number, Set<ErrorShape>>();
  for (const code of INFERENCE_ERROR_CODES) {
    const { status } = ERROR_ROWS[code];
    if (status === 200 || code === 'cancelled') continue;
    shapes.set(status, (shapes.get(status) ?? new Set()).add(answerErrorShape(endpoint, code, compatibility)));
  }
  const statuses = [...shapes].toSorted(([left], [right]) => left - right);
  return Object.fromEntries(
    statuses.map(([status, found]) => [status, { description: 'An error.', content: errorContent([...found]) }]),
  );
}

function errorContent(shapes: readonly ErrorShape[]): JsonObject {
  const content: JsonObject = {};
  if (shapes.includes('plain')) content['text/plain'] = { schema: { type: 'string' } };
  if (shapes.includes('html')) content['text/html'] = { schema: { type: 'string' } };
  const references = shapes.flatMap((shape) =>
    shape in ERROR_SCHEMAS ? [{ $ref: `#/components/schemas/${shape}` }] : [],
  );
  if (references.length > 0)
    content['application/json'] = { schema: references.length === 1 ? references[0] : { anyOf: references } };
  return content;
}

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const uuid = { type: 'string', format: 'uuid' };

/** An object with exactly these properties, of which all but `optional` must be there. */
function exactly(properties: Record<string, unknown>, optional: readonly string[] = []): Record<string, unknown> {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}

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
  flat: exactly({ error: text, error_code: textOrNull, error_param: textOrNull, error_type: text }),
  messages: exactly({
    type: { const: 'error' },
    error: exactly({ ...messages, param: textOrNull, code: textOrNull }, ['param', 'code']),
    request_id: uuid,
  }),
  'messages-bare': exactly({ type: { const: 'error' }, error: exactly(messages), request_id: uuid }),
};
