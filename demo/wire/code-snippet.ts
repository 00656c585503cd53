/** The request on the wire as code to paste: into this page's console, a shell, or an app. */
import { formatJson } from '../parts/format-json.js';
import type { WireRequest } from './wire-log.js';

/** A way to write a request down. */
export interface SnippetKind {
  title: string;
  /** Whether a request can be written so. */
  fits: (request: WireRequest) => boolean;
  write: (request: WireRequest) => string;
}

const always = (): boolean => true;
const isChat = ({ path }: WireRequest): boolean => path === '/chat/completions';
const isOpenAI = ({ path, sentAs }: WireRequest): boolean => path !== '/messages' && sentAs !== 'sound';

/** In the order of the tabs. */
export const SNIPPETS: Record<string, SnippetKind> = {
  fetch: { title: 'fetch', fits: always, write: fetchSnippet },
  curl: { title: 'curl', fits: always, write: curlSnippet },
  openai: { title: 'openai', fits: isOpenAI, write: (request) => clientSnippet(request, 'openai') },
  anthropic: {
    title: 'anthropic',
    fits: ({ path }) => path === '/messages',
    write: (request) => clientSnippet(request, 'anthropic'),
  },
  ai: { title: 'AI SDK', fits: isChat, write: aiSnippet },
  langchain: { title: 'LangChain', fits: isChat, write: langChainSnippet },
};

/** Runs in this page's console. */
function fetchSnippet({ path, body, sentAs }: WireRequest): string {
  if (sentAs === 'sound') {
    return `const clip = await (await fetch('/models/tiny-whisper/clips/en-2.wav')).blob();
const response = await fetch('/v1${path}?${queryOf(body)}', {
  method: 'POST',
  headers: { 'content-type': 'audio/pcm; rate=16000' },
  body: clip.slice(44), // without the header of a WAV file
});
console.log(await response.text());`;
  }
  if (sentAs === 'json') {
    return `const response = await fetch('/v1${path}', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(${indented(body)}),
});
console.log(await response.text());`;
  }
  const fields = Object.entries(body).map(([name, value]) =>
    name === 'file'
      ? `form.append('file', await (await fetch('/models/tiny-whisper/clips/en-2.wav')).blob(), 'en-2.wav');`
      : `form.append('${name}', '${String(value)}');`,
  );
  return `const form = new FormData();
${fields.join('\n')}
const response = await fetch('/v1${path}', { method: 'POST', body: form });
console.log(await response.text());`;
}

/** A shell reaches the service through `npx inpage serve`. */
function curlSnippet({ path, body, sentAs }: WireRequest): string {
  const url = `http://localhost:8080/v1${path}`;
  if (sentAs === 'sound') {
    const type = `-H 'content-type: audio/pcm; rate=${String(body['rate'])}'`;
    return `# npx inpage serve --port 8080
arecord -t raw -f S16_LE -r ${String(body['rate'])} | \
curl --no-buffer -T - -X POST ${type} ${shellQuoted(`${url}?${queryOf(body)}`)}`;
  }
  if (sentAs === 'form') {
    const fields = Object.entries(body).map(([name, value]) =>
      name === 'file' ? `-F file=@sound.wav` : `-F ${name}=${shellQuoted(String(value))}`,
    );
    return `# npx inpage serve --port 8080\ncurl ${url} ${fields.join(' ')}`;
  }
  return `# npx inpage serve --port 8080
curl ${body['stream'] ? '--no-buffer ' : ''}${url} \\
  -H 'content-type: application/json' \\
  -d ${shellQuoted(formatJson(body))}`;
}

/** The official client of the dialect. */
function clientSnippet({ path, body, sentAs }: WireRequest, client: 'openai' | 'anthropic'): string {
  const isForm = sentAs === 'form';
  const method = path.slice(1).replaceAll('/', '.');
  const values = isForm ? formValues(body) : indented(body, 0);
  const create = `await ${client}.${method}.create(${values});`;
  const call = body['stream']
    ? `const stream = ${create}\nfor await (const event of stream) console.log(event);`
    : `const answer = ${create}\nconsole.log(answer);`;
  const [name, from, base] =
    client === 'anthropic'
      ? ['Anthropic', '@anthropic-ai/sdk', 'location.origin']
      : ['OpenAI', 'openai', "location.origin + '/v1'"];
  const sound = isForm ? `const file = await fetch('/models/tiny-whisper/clips/en-2.wav');\n` : '';
  return `import ${name} from '${from}';

const ${client} = new ${name}({ baseURL: ${base}, apiKey: 'none', dangerouslyAllowBrowser: true });
${sound}${call}`;
}

function aiSnippet({ body }: WireRequest): string {
  const { model, messages, temperature, top_p: topP, max_tokens: maxOutputTokens } = body;
  const values = { messages, temperature, topP, maxOutputTokens };
  return `import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText } from 'ai';

const inpage = createOpenAICompatible({ name: 'inpage', baseURL: location.origin + '/v1' });
const { textStream } = streamText({
  model: inpage(${JSON.stringify(model)}),
  ${members(values)}
});
for await (const text of textStream) console.log(text);`;
}

function langChainSnippet({ body }: WireRequest): string {
  const { model, messages, temperature, top_p: topP, max_tokens: maxTokens } = body;
  return `import { ChatOpenAI } from '@langchain/openai';

const model = new ChatOpenAI({
  ${members({ model, temperature, topP, maxTokens })}
  apiKey: 'none',
  configuration: { baseURL: location.origin + '/v1', dangerouslyAllowBrowser: true },
});
for await (const chunk of await model.stream(${indented(messages, 0)})) console.log(chunk.content);`;
}

/** The members that are there, a line each. */
function members(values: Record<string, unknown>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${indented(value)},`)
    .join('\n  ');
}

/** The fields of a sound, without what stands in its type. */
function queryOf(body: WireRequest['body']): string {
  const fields = new URLSearchParams(body as Record<string, string>);
  fields.delete('rate');
  return fields.toString();
}

/** A form's values are texts; the client wants a boolean. */
function formValues(body: Record<string, unknown>): string {
  const lines = Object.entries(body).map(([name, value]) => {
    if (name === 'file') return '  file,';
    return `  ${name}: ${name === 'stream' ? String(value) : JSON.stringify(value)},`;
  });
  return `{\n${lines.join('\n')}\n}`;
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** JSON whose keys need no quotes, as people write it. */
function indented(value: unknown, depth = 1): string {
  const code = formatJson(value).replace(/([{,]\s+)"([a-z_]\w*)":/gi, '$1$2:');
  return depth === 0 ? code : code.replaceAll('\n', '\n  ');
}
