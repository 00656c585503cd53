/**
 * Loads published models through the product, in headless Chromium, and compares what they answer with what their cards say:
 * `npm run outside -- hub [MODEL…] [--hub URL]`, with ids such as `Xenova/whisper-tiny`; without any, one of each task. Of a model
 * that is not listed in `published-models.ts` the hub tells the task, and it must do what any model of it does. Needs a network
 * and a build.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Ask, OF_TASK, PUBLISHED, type Published } from './published-models.js';

const BRIDGE = join(import.meta.dirname, '../../dist/serve.js');

/** Milliseconds for a model: its files, its load and its answers. */
const LIMIT = 20 * 60_000;

/** The hub's names of tasks. */
const TASKS: Readonly<Record<string, Published['task']>> = {
  'text-generation': 'chat',
  'image-text-to-text': 'chat',
  'feature-extraction': 'embeddings',
  'sentence-similarity': 'embeddings',
  'text-ranking': 'rerank',
  'text-classification': 'rerank',
  'automatic-speech-recognition': 'speech-to-text',
  'text-to-speech': 'text-to-speech',
  'text-to-audio': 'text-to-speech',
};

async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const at = words.indexOf('--hub');
  const hub = at < 0 ? 'https://huggingface.co' : words.splice(at, 2)[1];
  if (hub === undefined || !URL.canParse(hub)) throw new Error('`--hub` must be a URL.');
  if (!existsSync(BRIDGE)) throw new Error('Run `npm run build` first.');
  const ids = words.length > 0 ? words : Object.keys(PUBLISHED);
  console.warn('| model | task | seconds | answer |\n| --- | --- | --- | --- |');
  for (const id of ids) {
    const start = performance.now();
    const row = (task: string, answer: string): void =>
      console.warn(
        `| ${id} | ${task} | ${Math.round((performance.now() - start) / 1000)} | ${answer.replaceAll('|', '\\|')} |`,
      );
    try {
      const { task, check } = PUBLISHED[id] ?? (await knownToHub(id, hub));
      row(task, JSON.stringify(await checkModel(id, hub, { task, check })));
    } catch (error) {
      process.exitCode = 1;
      row('', `**${error instanceof Error ? error.message : String(error)}**`);
    }
  }
}

async function knownToHub(id: string, hub: string): Promise<Published> {
  const response = await fetch(new URL(`api/models/${id}`, `${hub.replace(/\/*$/, '')}/`), {
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Error(`${hub} answered ${response.status} for this model.`);
  const { pipeline_tag: tag = '' } = (await response.json()) as { pipeline_tag?: string };
  const task = TASKS[tag];
  if (!task) throw new Error(`It is for ${tag || 'nothing that the hub tells'}.`);
  return { task, check: OF_TASK[task] };
}

/** @throws Error when it cannot run, or answers something else */
async function checkModel(id: string, hub: string, { task, check }: Published): Promise<string> {
  const { serveInference } = (await import(/* @vite-ignore */ BRIDGE)) as typeof import('../../src/serve/index.js');
  const name = id.split('/').at(-1)!;
  const entry = { id: name, task, backend: 'transformers', source: id, device: 'wasm' } as const;
  const server = await serveInference({ models: [entry], hub, requestTimeout: LIMIT / 1000 });
  const send = async (path: string, init: RequestInit): Promise<Response> => {
    const url = `${server.baseURL}/${path}`;
    const response = await fetch(url, { method: 'POST', signal: AbortSignal.timeout(LIMIT), ...init });
    if (response.ok) return response;
    throw new Error(`${response.status}: ${(await response.text()).slice(0, 500)}`);
  };
  const sendJson = (path: string, body: object): Promise<Response> =>
    send(path, { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ model: name, ...body }) });
  const ask: Ask = {
    json: async <Answer>(path: string, body: object) => (await (await sendJson(path, body)).json()) as Answer,
    async transcribe(recording) {
      const form = new FormData();
      form.set('model', name);
      form.set('file', recording, 'recording.wav');
      return ((await (await send('audio/transcriptions', { body: form })).json()) as { text: string }).text;
    },
    async speak(input) {
      const spoken = await sendJson('audio/speech', { input, voice: 'default', response_format: 'wav' });
      return new Uint8Array(await spoken.arrayBuffer());
    },
    async fileOfHub(path) {
      const response = await fetch(new URL(path, `${hub.replace(/\/*$/, '')}/`), {
        signal: AbortSignal.timeout(60_000),
      });
      if (!response.ok) throw new Error(`${hub} answered ${response.status} for ${path}.`);
      return response.blob();
    },
  };
  try {
    return await check(ask);
  } finally {
    await server.close();
  }
}

await main();
