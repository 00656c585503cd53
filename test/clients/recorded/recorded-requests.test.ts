import { expect, it } from 'vitest';
import type { ModelEntry } from '../../../src/core/models/model-entry.js';
import { buildApp } from '../../support/build-app.js';
import { jsonOf, readEvents } from '../../support/read-events.js';
import { type StreamDialect, validateStream } from '../../support/validate-stream.js';
import { claudeCodeRequests } from './claude-code.js';
import { codexRequests } from './codex.js';
import { clineRequests, continueRequests } from './editors.js';
import { openWebUiRequests } from './open-webui.js';
import { EMBEDDER, MODEL, type RecordedRequest, TEXT } from './recorded-request.js';

const MODELS: ModelEntry[] = [
  {
    id: MODEL,
    task: 'chat',
    backend: 'scripted',
    contextLength: 16_384,
    script: {
      replies: [
        { match: 'JSON', text: '{"title":"A fix"}' },
        { text: TEXT, reasoning: 'Where is it?' },
      ],
    },
  },
  { id: EMBEDDER, task: 'embeddings', backend: 'scripted', script: { replies: [] } },
];

const REQUESTS: RecordedRequest[] = [
  ...codexRequests,
  ...claudeCodeRequests,
  ...continueRequests,
  ...clineRequests,
  ...openWebUiRequests,
];

/** The text that a stream of any dialect says. */
function textOf(events: readonly any[]): string {
  return events
    .map(
      (event) =>
        (event.type === 'response.output_text.delta' && event.delta) ||
        (event.delta?.type === 'text_delta' && event.delta.text) ||
        (event.choices?.[0]?.delta?.content ?? event.choices?.[0]?.text ?? ''),
    )
    .filter((piece) => typeof piece === 'string')
    .join('');
}

/** The text of a stream, which is checked as a whole. */
async function readStream(response: Response, path: string): Promise<string> {
  const events = await readEvents(response);
  validateStream(path.slice(1).replace('/', '-').replace(/\?.*/, '') as StreamDialect, events);
  return textOf(jsonOf(events));
}

it.each(REQUESTS)('$program: $what is answered', async ({ path, headers, body, answer }) => {
  const { app } = await buildApp({ models: MODELS });
  const response = await app.request(`http://localhost/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect({ status: response.status, problem: response.ok ? '' : await response.clone().text() }).toEqual({
    status: 200,
    problem: '',
  });
  const said = body?.['stream'] === true ? await readStream(response, path) : await response.json();
  // Texts are wrapped, since toMatchObject compares objects.
  expect({ said }).toMatchObject({ said: answer });
});
