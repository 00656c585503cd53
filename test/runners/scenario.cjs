// What a test server does in whatever runner and environment. `expect` and the way to replace things are the runner's.
const { ask } = require('./ask.cjs');

/** Does what tests do, and compares. */
exports.scenario = async (server, expect) => {
  server.use([
    { match: 'capital', text: 'Paris.', tokenDelayMs: 1 },
    { match: 'tool', toolCalls: [{ name: 'look', arguments: { at: 'sky' } }] },
  ]);
  const whole = await ask(server, 'What is the capital of France?');
  expect(whole.status).toBe(200);
  // Neither ids nor times are of the machine or of what a test has made of them.
  expect(JSON.parse(whole.text)).toMatchObject({
    id: 'chatcmpl-00000000-0000-4000-8000-000000000002',
    created: 1_767_225_600,
    choices: [{ message: { content: 'Paris.' } }],
  });
  const streamed = await ask(server, 'The capital?', { stream: true });
  expect(streamed.text).toContain('data: [DONE]');
  expect(server.requests).toHaveLength(2);
  expect(server.requests[1]).toMatchObject({ index: 1, model: 'gpt-5', status: 200, state: 'done' });
  expect(server.requests[1].answer.events.at(-1)).toBe('[DONE]');

  const called = await ask(server, 'Use the tool.', { tools: [{ type: 'function', function: { name: 'look' } }] });
  expect(JSON.parse(called.text).choices[0].message.tool_calls[0].function.name).toBe('look');

  // A function runs in the test's realm, and so do its errors.
  const mistake = new TypeError('Mistake of a test');
  server.use(async ({ messages, signal }) => {
    if (messages[0].content === 'Fail.') throw mistake;
    if (signal.aborted) return undefined;
    return { text: `${messages.length} message` };
  });
  expect(JSON.parse((await ask(server, 'Hi')).text).choices[0].message.content).toBe('1 message');
  expect((await ask(server, 'Fail.')).status).toBe(500);
  expect(server.requests.at(-1).error).toBe(mistake);

  const coming = server.nextRequest((entry) => JSON.stringify(entry.body).includes('Later'));
  const asked = ask(server, 'Later');
  const entry = await coming;
  expect((await entry.finished).status).toBe(200);
  await asked;
  await expect(server.nextRequest({ path: '/v1/none' }, { timeout: 20 })).rejects.toThrow('within 20 ms');

  await server.faults.set({ fail: { status: 529, retryAfter: 0 } });
  expect((await ask(server, 'Hi')).status).toBe(529);
  await server.faults.clear();
  server.advance(60_000);
  expect(JSON.parse((await ask(server, 'Hi')).text).created).toBe(1_767_225_660);
  expect(() => server.use({ txt: 'x' })).toThrow(/Did you mean `text`/);

  server.reset();
  expect(server.requests).toHaveLength(0);
  expect((await ask(server, 'The capital?')).status).toBe(400);
  expect(server.unmatched).toHaveLength(1);
  server.reset();
};

/** Puts things of a test in the place of what is global. @returns puts them back */
exports.replaceGlobals = () => {
  const refuse = (name) => () => {
    throw new Error(`${name} is replaced.`);
  };
  const earlier = new Map();
  const replace = (name, value) => {
    earlier.set(name, Object.getOwnPropertyDescriptor(globalThis, name));
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  };
  replace('fetch', refuse('fetch'));
  replace('crypto', { randomUUID: refuse('crypto.randomUUID'), getRandomValues: refuse('crypto.getRandomValues') });
  replace(
    'Date',
    class extends Date {
      constructor() {
        super(0);
      }
      static now() {
        return 0;
      }
    },
  );
  for (const name of ['Response', 'Request', 'Headers', 'ReadableStream', 'AbortController', 'TextDecoder'])
    replace(name, refuse(name));
  return () => {
    for (const [name, descriptor] of earlier) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
      else delete globalThis[name];
    }
  };
};
