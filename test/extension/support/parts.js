/** What each context of the extension under test can be told to do; the tests replace the first line's module by the package. */
import { connectInference } from 'inpage/extension';

let inference;
const streams = new Map();

const told = async (answer) => ({
  status: answer.status,
  headers: Object.fromEntries(answer.headers),
  body: await answer.text(),
});

export const operations = {
  async connect() {
    inference = await connectInference();
    return { baseURL: inference.baseURL, names: Object.keys(inference).toSorted() };
  },
  /** `bytes`: as many in a form's file. */
  async ask({ path, init, bytes, base = inference.baseURL }) {
    const body = bytes === undefined ? init?.body : new FormData();
    if (bytes !== undefined) {
      body.append('model', 'listener');
      body.append('file', new File([new Uint8Array(bytes).fill(1)], 'sound.wav'));
    }
    return told(await inference.fetch(base + path, { ...init, ...(body && { body }) }));
  },
  /** Begins a stream of which {@link operations.rest} tells later. */
  async begin({ name, path, init }) {
    const abort = new AbortController();
    const answer = await inference.fetch(inference.baseURL + path, { ...init, signal: abort.signal });
    const stream = { text: '', error: undefined, done: false, abort };
    streams.set(name, stream);
    stream.ended = (async () => {
      const decoder = new TextDecoder();
      try {
        for await (const bytes of answer.body) stream.text += decoder.decode(bytes, { stream: true });
      } catch (thrown) {
        stream.error = String(thrown);
      }
      stream.done = true;
    })();
    return answer.status;
  },
  so: ({ name }) => {
    const { text, error, done } = streams.get(name);
    return { text, error, done };
  },
  async rest({ name }) {
    await streams.get(name).ended;
    return operations.so({ name });
  },
  abort: ({ name }) => streams.get(name).abort.abort(),
  status: () => inference.status(),
  call: async ({ method, args = [] }) => inference[method](...args),
  stop: () => inference.stop(),
};

/** A result, or what is known of an error. */
export async function run(operation, argument = {}) {
  try {
    return { result: await operations[operation](argument) };
  } catch (thrown) {
    return { error: { name: thrown.name, code: thrown.code, param: thrown.param, message: thrown.message } };
  }
}
