/** The document says what the validation does. */
import { Validator } from '@cfworker/json-schema';
import { safeParse } from 'valibot';
import { describe, expect, it } from 'vitest';
import { fieldsOf as documentedFields } from '../../../.ci/docs/field-table.js';
import { ENDPOINTS } from '../../../src/service/http/app.js';
import { type Compatibility, COMPATIBILITY } from '../../../src/service/http/policy/compatibility.js';
import { FIELD_DESCRIPTIONS } from '../../../src/service/http/field-descriptions.js';
import { describedBodySchema, requestBodySchema } from '../../../src/service/http/openapi/openapi.js';
import { buildApp } from '../../support/build-app.js';
import { get } from './support/call.js';
import { type JsonEndpoint, JSON_ENDPOINTS, OLLAMA_ENDPOINTS } from './support/models.js';

/** Values that lie on both sides of every rule of every field. */
const VALUES: unknown[] = [
  null,
  true,
  false,
  '',
  'x',
  'auto',
  'none',
  'low',
  'text',
  0,
  1,
  -1,
  0.5,
  1.5,
  2,
  2.5,
  -2.5,
  8,
  9,
  20,
  21,
  100,
  101,
  1e9,
  [],
  ['a'],
  [1],
  ['a', 'b', 'c', 'd'],
  ['a', 'b', 'c', 'd', 'e'],
  {},
  { a: 1 },
  { 5: 1 },
  { 5: 101 },
  { x: 1 },
  [[1, 2]],
  [null],
  { type: 'text' },
  { type: 'auto' },
  { type: 'function', function: { name: 'f' } },
  { include_usage: true },
  { include_usage: 5 },
  { type: 'enabled', budget_tokens: 5 },
  { effort: 'low' },
  { effort: 'no' },
  [{ role: 'user', content: 'x' }],
  [{ role: 'wizard', content: 'x' }],
  [{ role: 'user', content: 5 }],
  [{ type: 'function', function: { name: 'f' } }],
  [{ type: 'function', function: { name: 'a b' } }],
  [{ name: 'f', input_schema: {} }],
  [{ type: 'message', role: 'user', content: 'x' }],
  { type: 'json_schema', json_schema: { name: 'x' } },
  { type: 'json_schema', json_schema: {} },
  { format: { type: 'text' } },
  { format: { type: 'xml' } },
];

/** Those that take JSON, with what checks it. */
const documented = (
  await Promise.all(
    ENDPOINTS.filter(({ requestType }) => requestType !== 'multipart/form-data').map(
      async ({ path, requestSchema }) => ({
        path,
        requestSchema: await requestSchema?.(COMPATIBILITY.service),
      }),
    ),
  )
).flatMap(({ path, requestSchema }) => (requestSchema ? [{ path, requestSchema }] : []));

function fieldsOf(schema: unknown): string[] {
  return Object.keys((schema as { properties?: object }).properties ?? {});
}

it('is served as OpenAPI 3.1 and lists every operation', async () => {
  const { app } = await buildApp();
  const { status, json } = await get(app, '/v1/openapi.json');
  expect(status).toBe(200);
  expect(json.openapi).toBe('3.1.0');
  expect(json.servers).toEqual([{ url: '/v1' }]);
  for (const { method, path, isOffered } of ENDPOINTS) {
    if (isOffered?.(COMPATIBILITY.service) === false) continue;
    const operation = json.paths[path.replaceAll(/:(\w+)(\{[^}]*\})?/g, '{$1}')]?.[method.toLowerCase()];
    expect(operation).toMatchObject({
      summary: expect.any(String),
      operationId: expect.stringMatching(/^[a-z]+[A-Za-z]*$/),
    });
    expect(Object.keys(operation.responses)).toEqual(
      expect.arrayContaining(['200', '400', '401', '429', '500', '503']),
    );
  }
  const verbose = { name: 'verbose', in: 'query', schema: { type: 'boolean' } };
  expect(json.paths['/models'].get.parameters[0]).toMatchObject(verbose);
  const id = { name: 'id', in: 'path', required: true };
  expect(json.paths['/models/{id}'].get.parameters).toMatchObject([id, verbose]);
  const references = [...JSON.stringify(json).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map((match) => match[1]);
  expect(references.length).toBeGreaterThan(0);
  for (const name of references) expect(json.components.schemas).toHaveProperty(name!);
});

const KEPT: Compatibility = { ...COMPATIBILITY.service, responseStorage: 'offered' };
const CONVERSATIONS: JsonEndpoint = {
  path: '/v1/conversations',
  body: { items: [{ role: 'user', content: 'Hello.' }], metadata: {} },
};
const FILE_ENDPOINTS: JsonEndpoint[] = [
  { path: '/v1/vector_stores/:vector_store_id/search', body: { query: 'key' } },
  { path: '/v1/vector_stores/:vector_store_id/file_batches', body: { file_ids: ['file-1'] } },
  { path: '/v1/vector_stores/:vector_store_id/files/:file_id', body: { attributes: { year: 2020 } } },
  { path: '/v1/vector_stores/:vector_store_id/files', body: { file_id: 'file-1' } },
  { path: '/v1/vector_stores', body: { name: 'Papers' } },
];
const TOKENIZER_ENDPOINTS: JsonEndpoint[] = [
  { path: '/v1/tokenize', body: { prompt: 'Hello.' } },
  { path: '/v1/detokenize', body: { tokens: [1] } },
];

describe('request bodies', () => {
  it.each(documented)(
    '$path: what is documented is enforced, and what is enforced is documented',
    ({ path, requestSchema }) => {
      const document = requestBodySchema(requestSchema);
      const validator = new Validator(document, '2020-12');
      const valid = [
        ...JSON_ENDPOINTS,
        ...OLLAMA_ENDPOINTS,
        ...TOKENIZER_ENDPOINTS,
        ...FILE_ENDPOINTS,
        CONVERSATIONS,
      ].find((endpoint) => path.startsWith(endpoint.path.slice(3)))?.body;
      expect(safeParse(requestSchema, valid).success).toBe(true);
      const fields = fieldsOf(document);
      expect(fields.length).toBeGreaterThan(0);
      const verdicts = new Set<boolean>();
      for (const field of fields) {
        const { [field]: _, ...without } = valid ?? {};
        const bodies = [without, ...VALUES.map((value) => ({ ...valid, [field]: value }))];
        for (const body of bodies) {
          const isValid = safeParse(requestSchema, body).success;
          expect([path, body, validator.validate(body).valid]).toEqual([path, body, isValid]);
          verdicts.add(isValid);
        }
      }
      expect(verdicts.size).toBe(2);
    },
  );
});

describe('the meaning of fields', async () => {
  const schemas = await Promise.all(ENDPOINTS.map((endpoint) => describedBodySchema(endpoint, KEPT)));
  const bodies = ENDPOINTS.flatMap((endpoint, index) => {
    const schema = schemas[index];
    return schema ? [{ name: endpoint.name, path: endpoint.path, fields: documentedFields(schema) }] : [];
  });

  it.each(bodies)('is told of every field of $path', ({ fields }) => {
    const silent = [...fields].filter(([, { meaning }]) => meaning === '').map(([path]) => path);
    expect(silent).toEqual([]);
  });

  it('is told of no field that the schemas lack', () => {
    const known = new Set(bodies.flatMap(({ name, fields }) => [...fields.keys()].map((path) => `${name} ${path}`)));
    const told = Object.entries(FIELD_DESCRIPTIONS).flatMap(([name, fields]) =>
      Object.keys(fields).map((path) => `${name} ${path}`),
    );
    expect(told.filter((field) => !known.has(field))).toEqual([]);
  });

  it('stands in the document that is served', async () => {
    const { app } = await buildApp();
    const response = await get(app, '/v1/openapi.json');
    expect(response.text).toContain('"description":"What is searched for."');
  });
});
