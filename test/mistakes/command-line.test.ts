/** Mistakes on the command line. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, vi } from 'vitest';
import { runCommand } from '../../src/tools/cli/run-command.js';
import { answerMistakes, type Mistake } from './support/mistakes.js';

const folder = mkdtempSync(join(tmpdir(), 'inpage-mistakes-'));
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

async function listen(): Promise<Server> {
  const listening = createServer((_, response) => {
    response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.body);
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return listening;
}

/** What the other program says that listens. */
let answer = { status: 200, type: 'application/json', body: '' };
const server = await listen();
const { port } = server.address() as AddressInfo;
const origin = `http://127.0.0.1:${port}`;
const other = await listen();
/** Where nothing listens any more. */
const closed = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
other.close();
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** Runs `inpage`, and returns what it prints as an error. */
const cli =
  (...words: string[]) =>
  async (): Promise<string> => {
    let text = '';
    const spies = [
      vi.spyOn(process.stderr, 'write').mockImplementation((piece) => ((text += String(piece)), true)),
      vi.spyOn(process.stdout, 'write').mockImplementation(() => true),
    ];
    const listeners = process.stdout.listeners('error');
    await runCommand(words);
    process.exitCode = undefined;
    for (const spy of spies) spy.mockRestore();
    for (const each of process.stdout.listeners('error'))
      if (!listeners.includes(each)) process.stdout.off('error', each as () => void);
    return text
      .trim()
      .replaceAll(folder, 'FOLDER')
      .replaceAll(origin, 'ORIGIN')
      .replaceAll(String(port), 'PORT')
      .replaceAll(closed, 'CLOSED');
  };

/** The same with another program at the URL. */
const asking =
  (status: number, body: unknown, ...words: string[]) =>
  (): Promise<string> => {
    const isPage = typeof body === 'string';
    answer = { status, type: isPage ? 'text/html' : 'application/json', body: isPage ? body : JSON.stringify(body) };
    return cli(...words)();
  };
const connect = (status: number, body: unknown, ...more: string[]) =>
  asking(status, body, 'connect', 'codex', ...more, '--url', `${origin}/v1`);
const pack = (...more: string[]) => cli('pack', 'owner/name', join(folder, 'packed'), ...more);

const CLI: readonly Mistake[] = [
  ['a misspelt command', '`sevre` is not a command. Did you mean `serve`?', cli('sevre')],
  [
    'a misspelt flag',
    '`--prot` is not an option of `inpage serve`. Did you mean `--port`?',
    cli('serve', '--prot', '3000'),
  ],
  ['a flag without value', '`--port` needs a value: `--port N`.', cli('serve', '--port')],
  ['a value for a flag that has none', '`--key` does not accept a value.', cli('serve', '--key=sk-1')],
  ['init: no folder', '`inpage init` requires one folder, e.g. `npx inpage init public`.', cli('init')],
  [
    'serve: a word',
    '`3000` is not a model: models are paths of .gguf files (`./model.gguf`) and repositories of the hub (`owner/name`, `owner/name:Q4_K_M`).',
    cli('serve', '3000'),
  ],
  [
    'serve: a port in letters',
    '`--port` must be a number from 0 to 65535, not `http`.',
    cli('serve', '--port', 'http'),
  ],
  [
    'serve: a port that is taken',
    'Port PORT is taken. Choose another with `--port` (`port`), or 0 for any that is free.',
    cli('serve', '--port', String(port), '--config', file('ok.json', '{"models":[]}')),
  ],
  [
    'serve: a mode that does not exist',
    '`--compatibility` must be service or hosted, not `openai`.',
    cli('serve', '--compatibility', 'openai'),
  ],
  [
    'serve: storing in words',
    '`--store-responses` must be true, false, `memory`, or a size such as `64MB`, not `yes`.',
    cli('serve', '--store-responses', 'yes'),
  ],
  [
    'serve: a file that is not there',
    'FOLDER/nowhere.json: there is no such file or folder.',
    cli('serve', '--config', join(folder, 'nowhere.json')),
  ],
  [
    'serve: a file with comments',
    'FOLDER/comments.json: is not JSON.',
    cli('serve', '--config', file('comments.json', '{ // models\n}')),
  ],
  [
    'serve: a list of entries',
    'FOLDER/list.json: must be an object with options, e.g. { "models": [] }.',
    cli('serve', '--config', file('list.json', '[]')),
  ],
  [
    'serve: a misspelt option',
    'FOLDER/option.json: `modles` is not an option of serveInference. Did you mean `models`?',
    cli('serve', '--config', file('option.json', '{"modles":[]}')),
  ],
  [
    'serve: an option of pages',
    'FOLDER/page.json: `serviceWorker` is not an option of serveInference. Known are: models, apiKeys, rateLimits,',
    cli('serve', '--config', file('page.json', '{"serviceWorker":false}')),
  ],
  [
    'serve: a wrong entry',
    'FOLDER/entry.json: The option `models.0.backend` is missing.',
    cli('serve', '--config', file('entry.json', '{"models":[{"id":"m","task":"chat"}]}')),
  ],
  [
    'serve: a scripted model without script',
    'FOLDER/script.json: The option `models.0.script` must be an object with `replies`, because a scripted model has no other answers.',
    cli(
      'serve',
      '--port',
      '0',
      '--config',
      file('script.json', '{"models":[{"id":"m","task":"chat","backend":"scripted"}]}'),
    ),
  ],
  ['record: no file', '`inpage record` requires one file, e.g. `npx inpage record replies.json`.', cli('record')],
  [
    'record: a folder that is not there',
    'FOLDER/no: there is no such file or folder.',
    cli('record', join(folder, 'no', 'a.json')),
  ],
  [
    'record: a file that is no recording',
    'FOLDER/other.json is not an Inpage recording. `a` is not a field of a recording. Known are: models.',
    cli('record', file('other.json', '{"a":1}')),
  ],
  [
    'pack: no folder',
    '`inpage pack` requires a model (hub id, folder, WebLLM model or entry) and a folder, e.g. `npx inpage pack owner/name public/models/name`.',
    cli('pack', 'owner/name'),
  ],
  [
    'pack: a model without its owner',
    '"SmolLM2-135M-Instruct" is not a model: pass a hub id (owner/name), the URL or path (./…) of a folder or a',
    cli('pack', 'SmolLM2-135M-Instruct', folder),
  ],
  [
    'pack: the hub’s page',
    '"huggingface.co/owner/name" is not a model: pass a hub id (owner/name), the URL or path (./…) of a folder or',
    cli('pack', 'huggingface.co/owner/name', folder),
  ],
  [
    'pack: a tag of Ollama',
    '"llama3.2:1b" is not a model: pass a hub id (owner/name), the URL or path (./…) of a folder or a .gguf file, a model of WebLLM\'s list, or a file with an entry (JSON).',
    cli('pack', 'llama3.2:1b', folder),
  ],
  [
    'pack: a folder that is not there',
    '"./no-such-model" is not a model: pass a hub id (owner/name), the URL or path (./…) of a folder or a .gguf',
    cli('pack', './no-such-model', folder),
  ],
  [
    'pack: an unknown device',
    '`--device` must be one of auto, wasm, webgpu, not `gpu`.',
    cli('pack', 'owner/name', folder, '--device', 'gpu'),
  ],
  [
    'pack: an unknown task',
    '`--task` must be one of chat, embeddings, rerank, speech-to-text, text-to-speech, not `text-generation`.',
    cli('pack', 'owner/name', folder, '--task', 'text-generation'),
  ],
  [
    'pack: a part size without unit',
    '`--part-size` must be a size of 1MB or more, such as 24MB, not `small`.',
    cli('pack', 'owner/name', folder, '--part-size', 'small'),
  ],
  [
    'pack: a hub without https',
    '`--hub` must be a URL, not `mirror.example`.',
    cli('pack', 'owner/name', folder, '--hub', 'mirror.example'),
  ],
  [
    'pack: an unknown precision',
    '`--dtype` must be one of auto, fp32, fp16, q8, int8, uint8, q4, q4f16, bnb4, q2, q2f16, q1, q1f16, not `int4`.',
    cli('pack', 'owner/name', folder, '--dtype', 'int4'),
  ],
  [
    'pack: an entry of another backend',
    'the entry: The field `backend` must be gguf, transformers or web-llm: other models have no files.',
    cli('pack', '{"id":"m","backend":"upstream","source":"https://x.example"}', folder),
  ],
  ['pack: broken JSON', 'the entry: is not JSON.', cli('pack', '{"id":', folder)],
  [
    'pack: a prompt that is not there',
    'FOLDER/no.txt: there is no such file or folder.',
    cli('pack', 'owner/name', folder, '--cache-prompt', join(folder, 'no.txt')),
  ],
  [
    'pack: a hub out of reach',
    'could not be reached: it refused the connection. Is `--hub` right, and is the server running?',
    pack('--hub', closed),
  ],
  [
    'pack: an unknown model of the hub',
    'There is no model at ORIGIN/owner/name/resolve/main/, because it has no `config.json`. Check the hub id or',
    asking(404, 'Not found', 'pack', 'owner/name', join(folder, 'packed'), '--hub', origin),
  ],
  [
    'pack: a model that needs an agreement',
    'A model whose license must be accepted on the hub first has to be downloaded by its own tools',
    asking(401, 'Gated', 'pack', 'owner/name', join(folder, 'packed'), '--hub', origin),
  ],
  ['models: a word', '`inpage models` accepts options only, not `qwen`.', cli('models', 'qwen')],
  [
    'models: an unknown task',
    '`--task` must be one of chat, embeddings, rerank, speech-to-text, text-to-speech, not `embedding`.',
    cli('models', '--task', 'embedding'),
  ],
  [
    'models: a device that does not exist',
    '`--device` must be one of wasm, webgpu, not `gpu`.',
    cli('models', '--device', 'gpu'),
  ],
  [
    'models: too few megabytes',
    'No model of the list fits. Allow more with `--max-mb`.',
    cli('models', '--max-mb', '1'),
  ],
  [
    'models: megabytes with unit',
    '`--max-mb` must be a number above 0, not `500MB`.',
    cli('models', '--max-mb', '500MB'),
  ],
  [
    'models: an entry that is not there',
    'There is no `Qwen3-0.6B-GGUFF`. Did you mean `Qwen3-0.6B-GGUF`?',
    cli('models', '--entry', 'Qwen3-0.6B-GGUFF'),
  ],
  [
    'connect: no program',
    '`inpage connect` requires one program: claude-code, codex, cline, continue, copilot, goose, grok-cli, nanocoder, opencode, pi, qwen-code, aider, python, litellm, llm, open-webui, zed.',
    cli('connect'),
  ],
  [
    'connect: an address without http',
    '`--url` must be the base URL of a service, such as http://localhost:8080/v1, not `localhost:8080/v1`.',
    cli('connect', 'codex', '--url', 'localhost:8080/v1'),
  ],
  [
    'connect: nothing listens',
    'Nothing answers at CLOSED/v1. Start it with `npx inpage serve --compatibility hosted`, or name its base with `--url`.',
    cli('connect', 'codex', '--url', `${closed}/v1`),
  ],
  [
    'connect: an app listens',
    'The list of models of ORIGIN/v1 is not JSON. Is another program listening there? Name the service with `--url`.',
    connect(200, '<!doctype html>'),
  ],
  [
    'connect: a server without the path',
    'ORIGIN/v1 answers with status 404. Is another program listening there? Name the service with `--url`, such as http://localhost:8080/v1.',
    connect(404, 'Not found'),
  ],
  [
    'connect: a service with other lists',
    'The list of models of ORIGIN/v1 has a wrong value at `data`. Is another program listening there? Name the service with `--url`.',
    connect(200, { models: [] }),
  ],
  [
    'connect: a service that needs a key',
    'ORIGIN/v1 answers with status 401. Pass the key that it requires with `--key`.',
    connect(401, {}),
  ],
  ['connect: a service that fails', 'ORIGIN/v1 answers with status 500. Its own log says why.', connect(500, {})],
  [
    'connect: a service without chat models',
    'ORIGIN/v1 has no chat model. Its models: none.',
    connect(200, { data: [] }),
  ],
  [
    'connect: an unknown model',
    'ORIGIN/v1 has no model `n`. Its models: m.',
    connect(200, { data: [{ id: 'm', context_length: 5 }] }, '--model', 'n'),
  ],
  [
    'doctor: no address',
    '`inpage doctor` requires the URL of one page, e.g. `npx inpage doctor http://localhost:5173/`.',
    cli('doctor'),
  ],
  [
    'doctor: an address without http',
    '`inpage doctor` requires the URL of one page, e.g. `npx inpage doctor http://localhost:5173/`.',
    cli('doctor', 'localhost:5173'),
  ],
];

answerMistakes(CLI);
