/**
 * `npm run hostile`: prints what each hostile schema, body (pictures among them), recording and model file costs, in
 * milliseconds of processor time (a model file also in memory), and fails when one costs more than {@link MOST}. The gateway's part
 * is everything up to the model; the model's part of a schema is its grammar, and what the grammar engine makes of it for
 * tiny-chat's vocabulary or for a larger one (`npm run hostile -- 120000`: so many more).
 */
import { copyFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { answerGrammar } from '../../../src/language/constraints/answer-grammar.js';
import { readVocabulary } from '../../../src/language/constraints/token-vocabulary.js';
import type { App } from '../../../src/service/http/app.js';
import { createTextTokenizer } from '../../../src/language/prompt/text-tokenizer.js';
import { plainGenerationRequest } from '../../../src/core/request/generation-request.js';
import type { JsonSchema } from '../../../src/core/request/tool.js';
import { HOSTILE_SCHEMAS } from '../../language/constraints/support/hostile-schemas.js';
import { buildApp } from '../../support/build-app.js';
import { decodeAudio } from '../../../src/sound/decode-audio.js';
import { MOST_BYTES, costOf } from '../../hostile-files/cost-of.js';
import { HOSTILE_FILES } from '../../hostile-files/hostile-files.js';
import { HOSTILE_BODIES, HOSTILE_RECORDINGS } from './support/hostile-bodies.js';
import { ALL_TASKS } from './support/models.js';

/** What of the grammar engine is used. */
interface Xgrammar {
  TokenizerInfo: {
    createTokenizerInfo(
      bytes: Uint8Array[],
      kind: 'raw',
      prefix: boolean,
      size: number,
      ends: number[],
    ): Promise<object>;
  };
  GrammarCompiler: {
    createGrammarCompiler(
      info: object,
      cached: boolean,
    ): Promise<{ compileGrammar(ebnf: string): Promise<{ dispose(): void }> }>;
  };
}

const read = (file: string): Record<string, unknown> =>
  JSON.parse(readFileSync(`public/models/tiny-chat/${file}`, 'utf8')) as Record<string, unknown>;

/** The package says that it is a module and holds a script, which Node runs under another name only. */
function loadXgrammar(): Xgrammar {
  const copy = join(mkdtempSync(join(tmpdir(), 'inpage-')), 'xgrammar.cjs');
  copyFileSync('node_modules/@mlc-ai/web-xgrammar/lib/index.js', copy);
  return createRequire(copy)(copy) as Xgrammar;
}

/** Bytes of all tokens: tiny-chat's, and as many made-up words as are asked for. */
function vocabulary(words: number): Uint8Array[] {
  const json = read('tokenizer.json');
  const config = read('tokenizer_config.json');
  const tokenizer = createTextTokenizer({
    tokenizer: new Tokenizer(json, config),
    json,
    specialTokens: {},
    endTokens: [0, 2],
    chatTemplate: undefined,
  });
  const { bytes } = readVocabulary(tokenizer);
  const random = (below: number): number => Math.floor(Math.random() * below);
  for (let index = 0; index < words; index += 1) {
    const letters = Array.from({ length: 2 + random(8) }, () => String.fromCodePoint(97 + random(26)));
    bytes.push(new TextEncoder().encode(`${random(2) ? ' ' : ''}${letters.join('')}`));
  }
  return bytes;
}

/** Milliseconds of processor time: far more than any of them takes, far less than a loop without end. */
const MOST = 15_000;

/** Milliseconds of processor time that something takes, and what became of it. */
async function measure<T>(
  run: () => T | Promise<T>,
): Promise<{ spent: number; result: T | undefined; refusal: string }> {
  const start = process.cpuUsage();
  let result: T | undefined;
  let refusal = '';
  try {
    result = await run();
  } catch (thrown) {
    refusal = (thrown as Error).message.slice(0, 80);
  }
  const { user, system } = process.cpuUsage(start);
  return { spent: (user + system) / 1000, result, refusal };
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const print = (spent: readonly number[], name: string, end: string): void => {
  if (Math.max(...spent) > MOST) process.exitCode = 1;
  say(`${spent.map((each) => each.toFixed(0).padStart(7)).join('')}  ${name.slice(0, 60).padEnd(60)} ${end}`);
};

function send(app: App, path: string, contentType: string, body: BodyInit): Promise<number> {
  const request = { method: 'POST', headers: { 'content-type': contentType }, body };
  return Promise.resolve(app.request(path, request)).then(async (response) => {
    await response.text();
    return response.status;
  });
}

const bytes = vocabulary(Number(process.argv[2] ?? 0));
const { TokenizerInfo, GrammarCompiler } = loadXgrammar();
const info = await TokenizerInfo.createTokenizerInfo(bytes, 'raw', false, bytes.length, [0, 2]);
const compiler = await GrammarCompiler.createGrammarCompiler(info, false);
const rateLimits = { requestsPerMinute: 1e9, requestsPerDay: 1e9 };
const { app } = await buildApp({ models: ALL_TASKS, rateLimits });
const format = { toolFormat: 'none', reasoningFormat: 'none', reasoningOpen: false, spacing: 'spaced' } as const;
const messages = [{ role: 'user', content: 'Hi.' }];
await send(app, '/v1/chat/completions', 'application/json', JSON.stringify({ model: 'scripted-chat', messages }));

say(`${bytes.length} tokens; milliseconds: gateway, grammar, engine`);
for (const [name, schema] of HOSTILE_SCHEMAS) {
  const output = { type: 'json-schema', name: 'hostile', strict: true, schema: schema as JsonSchema } as const;
  const json_schema = { name: 'hostile', schema };
  const body = JSON.stringify({
    model: 'scripted-chat',
    messages,
    response_format: { type: 'json_schema', json_schema },
  });
  const gateway = await measure(() => send(app, '/v1/chat/completions', 'application/json', body));
  const request = { ...plainGenerationRequest('any', { type: 'chat', messages: [] }), output };
  const grammar = await measure(() => answerGrammar(request, { ...format, marker: () => undefined }));
  const engine = await measure(async () => {
    if (grammar.result !== undefined) (await compiler.compileGrammar(grammar.result)).dispose();
  });
  print([gateway.spent, grammar.spent, engine.spent], name, grammar.refusal);
}

say('milliseconds: gateway and scripted model');
for (const { name, path, contentType, body } of HOSTILE_BODIES) {
  const sent = body();
  const { spent, result } = await measure(() => send(app, path, contentType, sent));
  print([spent], name, String(result));
}

say('milliseconds: recordings');
for (const [name, recording] of HOSTILE_RECORDINGS) {
  const { spent, refusal } = await measure(() => decodeAudio(recording));
  print([spent], name, refusal);
}

say('model files: milliseconds, megabytes');
for (const { name, read: readFile } of HOSTILE_FILES) {
  const { seconds, bytes: more, thrown } = await costOf(readFile);
  if (more > MOST_BYTES) process.exitCode = 1;
  print([seconds * 1000, more / 2 ** 20], name, thrown instanceof Error ? thrown.message.slice(0, 120) : '');
}
