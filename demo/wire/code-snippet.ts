/** The request on the wire as code to paste: into this page's console, or into an app. */
import { formatJson } from '../parts/format-json.js';
import type { WireRequest } from './wire-log.js';

/** A `fetch` that works in this page's console. */
export function fetchSnippet({ path, body, isForm }: WireRequest): string {
  if (!isForm) {
    return `await fetch('/v1${path}', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(${indented(body)}),
});`;
  }
  const fields = Object.entries(body).map(([name, value]) =>
    name === 'file' ? `form.append('file', file); // ${String(value)}` : `form.append('${name}', '${String(value)}');`,
  );
  return `const form = new FormData();\n${fields.join('\n')}\nawait fetch('/v1${path}', { method: 'POST', body: form });`;
}

/** The same by the official client of that dialect. */
export function clientSnippet({ path, body, isForm }: WireRequest): string {
  const method = path.slice(1).replaceAll('/', '.');
  const values = isForm ? formValues(body) : indented(body, 0);
  const isAnthropic = path === '/messages';
  const create = `await ${isAnthropic ? 'anthropic' : 'openai'}.${method}.create(${values});`;
  const call = body['stream']
    ? `const stream = ${create}\nfor await (const event of stream) console.log(event);`
    : `const answer = ${create}`;
  return `const ${isAnthropic ? 'anthropic = new Anthropic' : 'openai = new OpenAI'}({
  baseURL: ${isAnthropic ? 'location.origin' : 'inference.baseURL'},
  apiKey: 'none',
  dangerouslyAllowBrowser: true,
});

${call}`;
}

/** A form's values are texts; the client wants a boolean. */
function formValues(body: Record<string, unknown>): string {
  const lines = Object.entries(body).map(([name, value]) => {
    if (name === 'file') return '  file,';
    return `  ${name}: ${name === 'stream' ? String(value) : JSON.stringify(value)},`;
  });
  return `{\n${lines.join('\n')}\n}`;
}

/** JSON whose keys need no quotes, as people write it. */
function indented(value: unknown, depth = 1): string {
  const code = formatJson(value).replace(/([{,]\s+)"([a-z_]\w*)":/gi, '$1$2:');
  return depth === 0 ? code : code.replaceAll('\n', '\n  ');
}
