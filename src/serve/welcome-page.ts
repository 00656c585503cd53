/** What a person sees who opens the server in a browser. @module */
import { DEFAULT_MODELS } from '../core/models/default-catalog.js';
import type { InferenceOptions } from '../core/models/inference-options.js';

/** The page: what this is, its models, and lines to copy. */
export function welcomePage(origin: string, options: Pick<InferenceOptions, 'apiKeys' | 'models' | 'prefix'>): string {
  const { models = DEFAULT_MODELS, prefix = '/v1', apiKeys } = options;
  const base = origin + prefix;
  // Any program on this machine can read the page, so it shows no key.
  const key = apiKeys === undefined ? 'none' : 'YOUR_KEY';
  const chat = models.find(({ task }) => task === 'chat');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Inpage</title>
<style>${STYLE}</style>
<h1>Inpage</h1>
<p>An OpenAI- and Anthropic-compatible service of this machine, at <code>${escape(base)}</code>. No request leaves the machine, except to models that are marked as remote.</p>
<h2>Models</h2>
<ul>
${models.map(({ id, task, backend }) => `<li><code>${escape(id)}</code> ${task}${backend === 'upstream' ? ', remote' : ''}</li>`).join('\n')}
</ul>
${
  chat
    ? examples(base, key, chat.id)
        .map(([title, code]) => `<h2>${title}</h2>\n<pre>${escape(code)}</pre>`)
        .join('\n')
    : ''
}
<h2>All endpoints</h2>
<p><a href="${escape(prefix)}/models">${escape(prefix)}/models</a>,
<a href="${escape(prefix)}/openapi.json">${escape(prefix)}/openapi.json</a></p>
</html>
`;
}

function examples(base: string, key: string, model: string): [string, string][] {
  const messages = "[{ role: 'user', content: 'What is the capital of France?' }]";
  const curl = `curl ${base}/chat/completions \\
  -H 'authorization: Bearer ${key}' -H 'content-type: application/json' \\
  -d '${JSON.stringify({ model, messages: [{ role: 'user', content: 'What is the capital of France?' }] })}'`;
  const openai = `import OpenAI from "openai";

const openai = new OpenAI({ baseURL: '${base}', apiKey: '${key}' });
const { choices } = await openai.chat.completions.create({
  model: '${model}',
  messages: ${messages},
});
console.log(choices[0].message.content);`;
  const anthropic = `import Anthropic from "@anthropic-ai/sdk";

const anthropic = new Anthropic({ baseURL: '${base.replace(/\/v1$/, '')}', apiKey: '${key}' });
const { content } = await anthropic.messages.create({
  model: '${model}',
  max_tokens: 100,
  messages: ${messages},
});
console.log(content[0].text);`;
  const all: [string, string][] = [
    ['curl', curl],
    ['openai', openai],
  ];
  // Anthropic's client adds `/v1` itself.
  return base.endsWith('/v1') ? [...all, ['@anthropic-ai/sdk', anthropic]] : all;
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem }
h2 { margin: 1.5rem 0 0.25rem; font-size: 1rem }
pre { padding: 0.75rem 1rem; overflow-x: auto; border: 1px solid; border-color: color-mix(in srgb, currentColor 25%, transparent); border-radius: 6px; font-size: 0.875rem }
`;
