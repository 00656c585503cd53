/** What the service answers: a list of its endpoints, and a page for each group with the fields of its bodies. @module */
import { ENDPOINTS } from '../../src/service/http/app.js';
import { COMPATIBILITY } from '../../src/service/http/policy/compatibility.js';
import type { Endpoint } from '../../src/service/http/endpoint/endpoint.js';
import { describedBodySchema } from '../../src/service/http/openapi/openapi.js';
import { fieldsOf, fieldTable } from './field-table.js';
import { markdownTable } from './markdown-table.js';

/** All endpoints; those that take a body lead to their page. */
export function endpointList(): string {
  const rows = ENDPOINTS.map((endpoint) => {
    const { name, summary } = endpoint;
    const hasPage = ENDPOINTS.some((other) => other.name === name && other.requestSchema);
    const title = `\`${titleOf(endpoint)}\``;
    return [hasPage ? `[${title}](endpoints-${name}.md)` : title, summary];
  });
  return markdownTable(['endpoint', 'what it does'], rows);
}

/**
 * The endpoints of a group, each with its fields.
 * @param name e.g. `chat-completions`
 * @throws Error for a name that no endpoint has
 */
export async function endpointPage(name: string): Promise<string> {
  const group = ENDPOINTS.filter((endpoint) => endpoint.name === name);
  const [first] = group;
  if (!first) throw new Error(`There is no endpoint ${name}.`);
  const parts = await Promise.all(
    group.map(async (endpoint) => [`## ${titleOf(endpoint)}`, endpoint.summary, ...(await bodyOf(endpoint, first))]),
  );
  return parts.map((lines) => lines.join('\n\n')).join('\n\n');
}

/** A table, or how the body differs from that of the page's first endpoint where it is nearly the same. */
async function bodyOf(endpoint: Endpoint, first: Endpoint): Promise<string[]> {
  const schema = await describedBodySchema(endpoint, COMPATIBILITY.service);
  const queries = Object.entries(endpoint.query ?? {}).map(([name, said]) => {
    const meaning = typeof said === 'string' ? said : String(said['description']);
    return [`\`${name}\``, meaning];
  });
  if (!schema) return queries.length > 0 ? [markdownTable(['parameter of the URL', 'meaning'], queries)] : [];
  const firstSchema = (await describedBodySchema(first, COMPATIBILITY.service))!;
  const [own, ofFirst] = [[...fieldsOf(schema).keys()], [...fieldsOf(firstSchema).keys()]];
  if (endpoint === first || own.some((path) => !ofFirst.includes(path))) return [fieldTable(schema)];
  const missing = ofFirst.filter((path) => !own.includes(path)).map((path) => `\`${path}\``);
  const except = missing.length === 0 ? '' : `, without ${missing.join(', ')}`;
  return [`It takes the fields of \`${titleOf(first)}\`${except}.`];
}

function titleOf({ method, path }: Endpoint): string {
  return `${method} /v1${path.replaceAll(/:(\w+)(\{[^}]*\})?/g, '{$1}')}`;
}
