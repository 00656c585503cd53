/** The reported calls on each endpoint: what cannot be read, what was cut, what could be mended, and fields that are not honoured. */
import { isDeepStrictEqual } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CompatibilityName } from '../../src/core/models/inference-options.js';
import type { ReasoningFormat, ToolFormat } from '../../src/core/models/answer-formats.js';
import type { Tool } from '../../src/core/request/tool.js';
import { upstreamBackend } from '../../src/engines/upstream/upstream-backend.js';
import type { App } from '../../src/service/http/app.js';
import { end, PROMPT, token } from '../service/answer/token-source.js';
import { type Answer, eventsOf, post } from '../service/http/support/call.js';
import { chunk, stop } from '../engines/upstream/answer.js';
import { REMOTE, streamOf, stubFetch } from '../engines/upstream/through-app.js';
import { buildApp, scriptedChat } from '../support/build-app.js';
import { tokenBackend } from '../support/token-backend.js';
import reports from './dialects.json' with { type: 'json' };

type Path = '/chat/completions' | '/responses' | '/messages' | '/api/chat';

interface Report {
  id: string;
  path: Path;
  modes: CompatibilityName[];
  family?: string;
  thoughts?: string;
  answer?: string;
  /** The arguments that a remote model sends. */
  upstream?: string;
  reason?: 'length';
  stream?: boolean;
  then: 'call' | 'raw' | 'error' | 'cut' | 'named';
  object?: object;
  raw?: string;
  fields?: object;
}

const tools = reports.tools as unknown as Tool[];

afterEach(() => void vi.unstubAllGlobals());

async function appFor(report: Report, compatibility: CompatibilityName): Promise<App> {
  if (report.upstream !== undefined) {
    const called = { index: 0, id: 'call_1', function: { name: 'run', arguments: '' } };
    const pieces = report.upstream.split('').map((text) => ({ index: 0, function: { arguments: text } }));
    const chunks = [called, ...pieces].map((piece) => chunk({ tool_calls: [piece] }));
    stubFetch({ fetch: () => streamOf(...chunks, stop) });
    const models = [scriptedChat({ backend: 'upstream', source: REMOTE })];
    return (await buildApp({ models, compatibility, backends: { upstream: upstreamBackend } })).app;
  }
  const formats = {
    toolFormat: report.family as ToolFormat,
    reasoningFormat: (report.thoughts ?? 'none') as ReasoningFormat,
    tools,
  };
  const pieces = report.answer!.split('').map((text) => token(text));
  const written = [{ ...PROMPT, ...formats }, ...pieces, end(0, { reason: report.reason ?? 'stop' })];
  return (await buildApp({ models: [scriptedChat()], compatibility, backends: { scripted: tokenBackend(written) } }))
    .app;
}

/** The request in the words of each dialect. */
function bodyOf({ path, stream = false, fields }: Report): object {
  const messages = [{ role: 'user', content: 'Hi' }];
  const shared = { model: 'scripted-chat', stream, ...fields };
  if (path === '/messages') {
    const own = tools.map(({ name, parameters }) => ({ name, input_schema: parameters }));
    return { ...shared, messages, max_tokens: 1000, tools: own };
  }
  if (path === '/responses')
    return { ...shared, input: 'Hi', tools: tools.map((each) => ({ type: 'function', ...each })) };
  return { ...shared, messages, tools: tools.map((each) => ({ type: 'function', function: each })) };
}

/** What a client makes of an answer: the arguments of its last call, its error, and why it ended. */
interface Meaning {
  arguments: unknown;
  error: string | undefined;
  end: unknown;
  isOver: boolean;
}

// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

const lines = (answer: Answer): Json[] =>
  answer.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

const READERS: Record<Path, (answer: Answer, stream: boolean) => Meaning> = {
  '/chat/completions': (answer, stream) => {
    const events = stream ? eventsOf(answer.text).map(({ json }) => json) : [answer.json];
    const choices = events.flatMap((each) => each?.choices ?? []);
    const calls = choices.flatMap((each: Json) => (each.delta ?? each.message)?.tool_calls ?? []);
    const given = calls.map((each: Json) => each.function?.arguments ?? '').join('');
    const error = events.find((each) => each?.error || each?.detail || each?.code);
    return {
      arguments: given,
      error: error && JSON.stringify(error),
      end: choices.at(-1)?.finish_reason,
      isOver: choices.some((each: Json) => each.finish_reason),
    };
  },
  '/responses': (answer, stream) => {
    const last = stream ? eventsOf(answer.text).at(-1)!.json.response : answer.json;
    const call = last.output?.findLast((item: Json) => item.type === 'function_call');
    return {
      arguments: call?.arguments,
      error: last.error ? JSON.stringify(last.error) : undefined,
      end: last.incomplete_details?.reason ?? last.status,
      isOver: last.status === 'completed',
    };
  },
  '/messages': (answer, stream) => {
    if (!stream) {
      const call = answer.json.content?.findLast((block: Json) => block.type === 'tool_use');
      const error = answer.status === 500 && answer.json.error.type === 'api_error' ? answer.text : undefined;
      return { arguments: call?.input, error, end: answer.json.stop_reason, isOver: answer.status === 200 };
    }
    const events = eventsOf(answer.text).map(({ json }) => json);
    const given = events.map((each) => each.delta?.partial_json ?? '').join('');
    const last = events.at(-1);
    return {
      arguments: given === '' ? {} : parsed(given),
      error: last.type === 'error' && last.error.type === 'api_error' ? JSON.stringify(last) : undefined,
      end: events.find((each) => each.type === 'message_delta')?.delta.stop_reason,
      isOver: events.some((each) => each.type === 'message_delta' || each.type === 'message_stop'),
    };
  },
  '/api/chat': (answer, stream) => {
    const all = stream ? lines(answer) : [answer.json];
    const call = all.flatMap((line) => line.message?.tool_calls ?? []).at(-1);
    const last = all.at(-1);
    const isError = typeof last.error === 'string' && (stream || answer.status === 500);
    return {
      arguments: call?.function.arguments,
      error: isError ? last.error : undefined,
      end: last.done_reason,
      isOver: all.some((line) => line.done === true),
    };
  },
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const CUTS: Record<Path, string> = {
  '/chat/completions': 'length',
  '/responses': 'max_output_tokens',
  '/messages': 'max_tokens',
  '/api/chat': 'length',
};

/** What of an answer is not as it must be. */
function problemsOf(report: Report, found: Meaning, answer: Answer): string[] {
  const { path, object, raw } = report;
  const facts: Record<string, boolean> = {};
  if (report.then === 'error') {
    const isNamed = /could not be read/.test(found.error ?? '');
    facts['it names what could not be read'] = isNamed || (path === '/chat/completions' && found.error !== undefined);
    facts['it is no answer'] = !found.isOver;
    facts['nothing was cut'] = !/"max_tokens"|"length"/.test(answer.text);
    facts['no line has the call'] = path !== '/api/chat' || !answer.text.includes('tool_calls');
  } else {
    facts['it is no error'] = found.error === undefined;
    // Of what was cut, these two pass on the text.
    const isText = report.then === 'cut' && (path === '/responses' || path === '/chat/completions');
    const given = typeof found.arguments === 'string' ? parsed(found.arguments) : found.arguments;
    if (report.then === 'raw') facts['the text comes letter for letter'] = found.arguments === raw;
    else facts['the object comes'] = isText || isDeepStrictEqual(given, object);
    if (report.then === 'cut') facts['the cut is told'] = found.end === CUTS[path];
  }
  return Object.keys(facts).filter((fact) => !facts[fact]);
}

const cases = (reports.cases as Report[]).flatMap((report) => report.modes.map((mode) => ({ ...report, mode })));

describe('[C78] reported calls on each endpoint', () => {
  it.each(cases.filter(({ then }) => then !== 'named'))('$id: $path, $mode', async ({ mode, ...report }) => {
    const { path, stream = false } = report;
    const app = await appFor(report, mode);
    const answer = await post(app, `/v1${path}`, bodyOf(report));
    const found = READERS[path](answer, stream);
    expect(problemsOf(report, found, answer)).toEqual([]);
  });

  it('a response in `service` whose call cannot be read failed, and nothing was cut', async () => {
    const report = (reports.cases as Report[]).find(({ id }) => id === 'F0-10')!;
    const app = await appFor(report, 'service');
    for (const stream of [false, true]) {
      const { text } = await post(app, '/v1/responses', bodyOf({ ...report, stream }));
      expect(text).toContain('"status":"failed"');
      expect(text).toContain('model_output_invalid');
      expect(text).not.toContain('"reason":"max_output_tokens"');
    }
  });
});

describe('[X28] reported fields', () => {
  it.each(cases.filter(({ then }) => then === 'named'))('$id: $path, $mode', async ({ mode, ...report }) => {
    const app = await appFor(report, mode);
    const { status, headers } = await post(app, `/v1${report.path}`, bodyOf(report));
    expect([status, headers.get('x-ignored-fields')]).toEqual([200, Object.keys(report.fields!).join(',')]);
  });
});
