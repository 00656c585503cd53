/** Mistakes in tests against the test server. */
import { importTestServer } from '../testing/test-server/support/built.js';
import { answerMistakes, type Mistake } from './support/mistakes.js';

const { startTestServer } = await importTestServer();
const start = (options: unknown) => async () => {
  await (await startTestServer(options as object)).close();
};
const during = (make: (test: Awaited<ReturnType<typeof startTestServer>>) => unknown) => async () => {
  const test = await startTestServer();
  try {
    return await make(test);
  } finally {
    await test.close();
  }
};
const ask = async (
  test: { baseURL: string },
  body: object = { model: 'gpt-5', messages: [{ role: 'user', content: 'Hi' }] },
): Promise<string> => {
  const response = await fetch(`${test.baseURL}/chat/completions`, { method: 'POST', body: JSON.stringify(body) });
  const text = await response.text();
  return response.ok ? '' : text;
};
const SERVER: readonly Mistake[] = [
  [
    'a model of the hub',
    'The option `models.0.backend` must be `scripted` or `upstream`, because a test server runs no other models.',
    start({ models: [{ id: 'm', task: 'chat', backend: 'transformers', source: 'a/b' }] }),
  ],
  [
    'an option of pages',
    '`serviceWorker` is not an option of startTestServer. Known are: models, apiKeys, rateLimits, compatibility, requestTimeout, prefix, record, storeResponses, port, now.',
    start({ serviceWorker: false }),
  ],
  [
    'a time that is none',
    "The option `now` must be a Date, Unix milliseconds, an ISO string or 'real'.",
    start({ now: 'tomorrow' }),
  ],
  [
    'a port that is taken',
    'is taken. Choose another with `--port` (`port`), or 0 for any that is free.',
    () => during((test) => start({ port: Number(new URL(test.origin).port) })())(),
  ],
  [
    'a misspelt field of a reply',
    '`txt` is not a field of a reply. Did you mean `text`?',
    during((test) => test.use({ txt: 'Hi' } as object)),
  ],
  [
    'a reply that is a text',
    "A reply must be an object such as `{ text: 'Hi' }`.",
    during((test) => test.use('Hi' as never)),
  ],
  [
    'a reply for a model that is not there',
    'The nearest: a reply for gpt-9 (the request is for the model gpt-5).',
    during(async (test) => {
      test.use({ text: 'Hi' }, { model: 'gpt-9' });
      return ask(test);
    }),
  ],
  [
    'no reply at all',
    'No scripted reply matches this request. Its last message is \\"Hi\\". There are no replies.',
    during((test) => ask(test)),
  ],
  [
    'a reply for another message',
    'The nearest: \\"weather\\" (not in the last message).',
    during(async (test) => {
      test.use({ match: 'weather', text: 'Sun.' });
      return ask(test);
    }),
  ],
  [
    'a function that returns a text',
    'a reply function failed, so the request got a 500. InferenceError: A reply must be an object such as `{ text:',
    during(async (test) => {
      test.use((() => 'Hi') as never);
      return ask(test);
    }),
  ],
  [
    'a function that throws',
    'a reply function failed, so the request got a 500. Error: Oh no',
    during(async (test) => {
      test.use(() => {
        throw new Error('Oh no');
      });
      return ask(test);
    }),
  ],
  [
    'a wait for a request that does not come',
    'No matching request arrived within 50 ms. No other request came.',
    during((test) => test.nextRequest(undefined, { timeout: 50 })),
  ],
  [
    'a wait after the end',
    'The test server is closed.',
    async () => {
      const test = await startTestServer();
      await test.close();
      return test.nextRequest();
    },
  ],
  [
    'a misspelt fault',
    '`delay` is not a fault. Known are: fail, delayBeforeHeadersMs, delayPerEventMs, cutStreamAfterEvents.',
    during((test) => test.faults.set({ delay: 5 } as object)),
  ],
  [
    'a recording without the option',
    'No answers are recorded. Set the option `record` to `true`.',
    during((test) => test.recorded()),
  ],
];

answerMistakes(SERVER);
