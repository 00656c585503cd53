// What a page can expect of `LanguageModel`, as cases that run in the page. They know nothing of who provides it.

const QUESTION = 'What is the capital of France?';
const user = (content) => ({ role: 'user', content });
const nameOf = async (call) => {
  try {
    await call();
    return 'no error';
  } catch (thrown) {
    return thrown.name;
  }
};

/** Of each case what came of it; `sent` has the bodies of requests to the model so far. */
export const CASES = {
  'contextWindow is below 10,000 for a model of 2,048': async ({ create }) => (await create()).contextWindow < 10_000,
  'an input longer than the window: QuotaExceededError, with requested and quota': async ({ create }) => {
    const session = await create();
    try {
      await session.prompt('word '.repeat(20_000));
      return 'no error';
    } catch ({ name, requested, quota }) {
      return name === 'QuotaExceededError' && requested > quota && quota === session.contextWindow;
    }
  },
  'append raises contextUsage by what measureContextUsage says': async ({ create }) => {
    const session = await create();
    const [before, cost] = [session.contextUsage, await session.measureContextUsage(QUESTION)];
    await session.append(QUESTION);
    return cost > 0 && session.contextUsage === before + cost;
  },
  'append keeps the roles': async ({ create, sent }) => {
    const session = await create();
    await session.append([user('I am Ann.'), { role: 'assistant', content: 'Hello, Ann.' }]);
    await session.prompt(QUESTION);
    return (
      sent()
        .messages.map(({ role }) => role)
        .join() === 'user,assistant,user'
    );
  },
  'prefix: the answer goes on where it was begun': async ({ create }) => {
    const whole = await (await create()).prompt(QUESTION);
    const content = whole.slice(0, whole.indexOf(' capital'));
    const rest = await (await create()).prompt([user(QUESTION), { role: 'assistant', content, prefix: true }]);
    return content + rest === whole;
  },
  'samplingMode changes the request': async ({ create, sent }) => {
    await (await create({ samplingMode: 'most-creative' })).prompt(QUESTION);
    return sent().temperature > 0;
  },
  'samplingMode that is none: TypeError': async ({ create }) => nameOf(() => create({ samplingMode: 'wild' })),
  'tools are called': async ({ create }) => {
    let calls = 0;
    const session = await create({
      tools: [
        {
          name: 'get_weather',
          description: 'Get the current weather for a city.',
          inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
          execute: async () => `${(calls += 1)}: 9 degrees, rain`,
        },
      ],
    });
    await session.prompt('What is the weather in Oslo?');
    return calls === 1;
  },
  'responseConstraint: a JSON schema holds': async ({ create }) => {
    const properties = { city: { enum: ['Oslo', 'Rome'] }, sure: { type: 'boolean' } };
    const schema = { type: 'object', properties, required: ['city', 'sure'], additionalProperties: false };
    const { city, sure } = JSON.parse(await (await create()).prompt(QUESTION, { responseConstraint: schema }));
    return ['Oslo', 'Rome'].includes(city) && typeof sure === 'boolean';
  },
  'responseConstraint: a regular expression holds': async ({ create }) =>
    /^[A-Z]{2}-\d{2}$/.test(await (await create()).prompt('Give a code.', { responseConstraint: /[A-Z]{2}-\d{2}/ })),
  'a language tag that is none: RangeError': async ({ create }) =>
    nameOf(() => create({ expectedInputs: [{ type: 'text', languages: ['en_US!'] }] })),
  'a prefix that is not the last message: SyntaxError': async ({ create }) => {
    const session = await create();
    return nameOf(() => session.prompt([{ role: 'assistant', content: 'So', prefix: true }, user(QUESTION)]));
  },
  'the constructor throws TypeError': () => nameOf(() => new LanguageModel()),
  'cancelling a stream ends its request': async ({ create, aborted }) => {
    const reader = (await create()).promptStreaming('Tell me a long story.').getReader();
    await reader.read();
    await reader.cancel();
    await new Promise((resolve) => setTimeout(resolve, 200));
    return aborted();
  },
  'an aborted prompt rejects with the reason, and leaves the session as it was': async ({ create }) => {
    const session = await create();
    const usage = session.contextUsage;
    const [stop, reason] = [new AbortController(), new Error('enough')];
    const answer = session.prompt(QUESTION, { signal: stop.signal });
    stop.abort(reason);
    return answer.then(
      () => 'no error',
      (thrown) => thrown === reason && session.contextUsage === usage,
    );
  },
  'a destroyed session: AbortError': async ({ create }) => {
    const session = await create();
    session.destroy();
    return nameOf(() => session.prompt(QUESTION));
  },
  'two prompts at once are answered one after the other': async ({ create, sent }) => {
    const session = await create();
    await Promise.all([session.prompt(QUESTION), session.prompt('Hello')]);
    return sent().messages.length === 3;
  },
  'a clone does not see what its origin is told later': async ({ create, sent }) => {
    const session = await create();
    const clone = await session.clone();
    await session.append('I am Ann.');
    await clone.prompt(QUESTION);
    return sent().messages.length === 1;
  },
};

/** Where a case must give the name of an error. */
const ERROR = /: (\w+Error)$|throws (\w+Error)$/;

/** @returns `true`, or what came instead */
export async function tryCase(title) {
  const bodies = () => window.asked.filter(({ body }) => typeof body === 'string' && body.includes('"messages"'));
  const tools = {
    create: (options) => LanguageModel.create(options),
    sent: () => JSON.parse(bodies().at(-1).body),
    aborted: () => bodies().at(-1).signal?.aborted === true,
  };
  const [, ...names] = ERROR.exec(title) ?? [];
  const expected = names.find(Boolean) ?? true;
  try {
    const found = await CASES[title](tools);
    return found === expected || String(found);
  } catch (thrown) {
    return `${thrown.name}: ${thrown.message}`;
  }
}
