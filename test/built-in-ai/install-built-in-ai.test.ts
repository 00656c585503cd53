import { expect, it, onTestFinished, vi } from 'vitest';
import { InferenceError } from '../../src/core/errors/inference-error.js';
import { scriptedBackend } from '../../src/engines/scripted/scripted-backend.js';
import { scriptedChat } from '../support/build-app.js';
import { embedder, listener } from '../service/http/support/models.js';
import { failureOf, install, openInference } from './support/open-inference.js';

const window = globalThis as unknown as Record<string, any>;

it('[J02] defines what the browser would, and puts back what was there', async () => {
  const open = await openInference();
  const first = await install(open);
  expect(Object.getOwnPropertyDescriptor(window, 'LanguageModel')).toMatchObject({
    configurable: true,
    writable: true,
    enumerable: false,
  });
  const { LanguageModel } = window;
  expect(LanguageModel.name).toBe('LanguageModel');
  expect(() => new LanguageModel()).toThrow(TypeError);
  const session = await LanguageModel.create();
  expect(session).toBeInstanceOf(LanguageModel);
  expect(session).toBeInstanceOf(EventTarget);
  const second = await install(open);
  expect(window['LanguageModel']).not.toBe(LanguageModel);
  expect(await failureOf(session.prompt('Hello'))).toMatchObject({ name: 'AbortError' });
  first.remove();
  second.remove();
  expect('LanguageModel' in window).toBe(false);
  expect('LanguageModelToolCall' in window).toBe(false);
  second.remove();

  const own = { availability: async () => 'unavailable' };
  vi.stubGlobal('LanguageModel', own);
  const before = Object.getOwnPropertyDescriptor(window, 'LanguageModel');
  const third = await install(open);
  expect(window['LanguageModel']).not.toBe(own);
  third.remove();
  expect(Object.getOwnPropertyDescriptor(window, 'LanguageModel')).toEqual(before);
});

it('[J03] refuses options by their names before anything is installed', async () => {
  const open = await openInference({ models: [scriptedChat(), embedder] });
  const wrong: [object, string][] = [
    [{ model: 'scripted-chat' }, 'model'],
    [{ models: { chat: 'nobody' } }, 'nobody'],
    [{ models: { chat: 'scripted-embed' } }, 'scripted-embed'],
    [{ models: { embeddings: 'scripted-chat' } }, 'scripted-chat'],
    [{ models: { speech: 'scripted-chat' } }, 'models.speech'],
    [{ force: ['Prompter'] }, 'Prompter'],
    [{ only: ['Prompter'] }, 'Prompter'],
    [{ languages: ['english language'] }, 'english language'],
  ];
  for (const [options, name] of wrong) {
    const refused = await failureOf(install(open, options));
    expect(refused.message).toContain(name);
    expect('LanguageModel' in window).toBe(false);
  }
  const others = await openInference({
    models: [
      { ...scriptedChat(), id: 'first' },
      { ...scriptedChat(), id: 'second' },
    ],
  });
  await install(others);
  await (await window['LanguageModel'].create()).prompt('Hello');
  await install(others, { models: { chat: 'second' } });
  await (await window['LanguageModel'].create()).prompt('Hello');
  expect(others.sent.filter(({ path }) => path === '/chat/completions').map(({ body }) => body.model)).toEqual([
    'first',
    'second',
  ]);
});

it('[J05] tells what the model can, and loads nothing', async () => {
  let finish = (): void => {};
  const loading = new Promise<void>((resolve) => (finish = resolve));
  const backends = {
    gguf: {
      load: async (...args: Parameters<typeof scriptedBackend.load>) => {
        await loading;
        return scriptedBackend.load(...args);
      },
    },
  };
  const model = { ...scriptedChat(), backend: 'gguf' as const, source: 'https://app.test/model.gguf' };
  const open = await openInference({ models: [model, listener], backends });
  await install(open, { languages: ['en', 'de'] });
  const { LanguageModel } = window;
  expect(await LanguageModel.availability()).toBe('downloadable');
  const of = (type: string, ...languages: string[]) => ({ expectedInputs: [{ type, languages }] });
  const wrong = [
    of('image'),
    of('text', 'fr'),
    { expectedOutputs: [{ type: 'audio' }] },
    { expectedOutputs: [{ type: 'image' }] },
    { expectedOutputs: [{ type: 'text', languages: ['fr'] }] },
  ];
  for (const options of wrong)
    expect([options, await LanguageModel.availability(options)]).toEqual([options, 'unavailable']);
  for (const options of [of('text', 'en-GB', 'de'), of('audio'), { expectedOutputs: [{ type: 'tool-call' }] }])
    expect([options, await LanguageModel.availability(options)]).toEqual([options, 'downloadable']);
  expect(open.loads).toEqual([]);

  const created = LanguageModel.create();
  await expect.poll(() => LanguageModel.availability()).toBe('downloading');
  finish();
  await created;
  expect(await LanguageModel.availability()).toBe('available');

  const kept = await openInference({ models: [model], backends });
  kept.stored.push({ models: [model.id], complete: true } as never);
  await install(kept);
  expect(await window['LanguageModel'].availability()).toBe('available');

  const deaf = await openInference();
  await install(deaf);
  expect(await window['LanguageModel'].availability()).toBe('available');
  expect(await window['LanguageModel'].availability(of('audio'))).toBe('unavailable');
  expect(deaf.loads).toEqual([]);
});

it('[J06] loads the model with progress, and says what kept it from that', async () => {
  let fail: InferenceError | undefined;
  const backends = {
    gguf: {
      load: async (...args: Parameters<typeof scriptedBackend.load>) => {
        const [entry, { onProgress }] = args;
        for (const loadedBytes of [0, 10, 10, 500, 1000]) {
          onProgress({ model: entry.id, loadedBytes, totalBytes: 1000, stage: 'download' });
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        if (fail) throw fail;
        return scriptedBackend.load(...args);
      },
    },
  };
  const open = await openInference({
    models: [{ ...scriptedChat(), backend: 'gguf', source: 'https://app.test/model.gguf' }],
    backends,
  });
  await install(open);
  const { LanguageModel } = window;
  const events: any[] = [];
  let settled = false;
  const create = (options: object = {}) =>
    LanguageModel.create({
      monitor: (target: EventTarget & { ondownloadprogress: unknown }) => {
        expect(target).toBeInstanceOf(EventTarget);
        target.addEventListener('downloadprogress', (event) => events.push([event, settled]));
      },
      ...options,
    });

  const reason = new Error('My reason.');
  const stop = new AbortController();
  const stopped = create({ signal: stop.signal });
  stop.abort(reason);
  expect(await failureOf(stopped)).toBe(reason);
  expect(await failureOf(create({ signal: stop.signal }))).toBe(reason);
  await expect.poll(() => open.inference.status()[0]!.state).toBe('ready');

  const own = new Error('Mine.');
  expect(
    await failureOf(
      create({
        monitor: () => {
          throw own;
        },
      }),
    ),
  ).toBe(own);
  expect(await failureOf(create({ expectedInputs: [{ type: 'text', languages: ['fr'] }] }))).toMatchObject({
    name: 'NotSupportedError',
  });

  const second = await openInference({
    models: [{ ...scriptedChat(), backend: 'gguf', source: 'https://app.test/model.gguf' }],
    backends,
  });
  await install(second);
  events.length = 0;
  await window['LanguageModel'].create({
    monitor: (target: EventTarget) =>
      target.addEventListener('downloadprogress', (event) => events.push([event, settled])),
  });
  settled = true;
  await new Promise((resolve) => setTimeout(resolve, 20));
  const told = events.map(([{ loaded, total, lengthComputable }]) => ({ loaded, total, lengthComputable }));
  expect(told.length).toBeGreaterThanOrEqual(3);
  expect(told[0]).toEqual({ loaded: 0, total: 1, lengthComputable: true });
  expect(told.at(-1)).toEqual({ loaded: 1, total: 1, lengthComputable: true });
  const shares = told.map(({ loaded }) => loaded * 65_536);
  expect(shares.every(Number.isInteger)).toBe(true);
  expect(shares).toEqual([...new Set(shares)].toSorted((one, other) => one - other));
  expect(events.every(([, late]) => late === false)).toBe(true);

  const failures: [InferenceError, string][] = [
    [
      new InferenceError('unavailable', 'No file.', { url: 'https://app.test/model.gguf', httpStatus: 404 }),
      'NetworkError',
    ],
    [new InferenceError('insufficient_resources', 'Too little memory.'), 'OperationError'],
  ];
  vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => void vi.restoreAllMocks());
  for (const [error, name] of failures) {
    fail = error;
    const broken = await openInference({
      models: [{ ...scriptedChat(), backend: 'gguf', source: 'https://app.test/model.gguf' }],
      backends,
    });
    await install(broken);
    expect(await failureOf(window['LanguageModel'].create())).toMatchObject({ name });
  }
});
