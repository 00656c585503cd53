/** What each context of the extension under test can be told to do; the tests replace the first line's module by the package. */
import { connectInference } from 'inpage/extension';

let inference;
let started;

/** For each model: its states since it is watched. */
const states = new Map();

/** The context is that of the host. */
export const useInference = (own) => (inference = own);
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
  /** `bytes`: as many in the file of a form, or as `letters` of a message. */
  async ask({ path, init, bytes, letters, base = inference.baseURL }) {
    let body = bytes === undefined ? init?.body : new FormData();
    if (letters !== undefined) body = body.replace('Hi', 'a'.repeat(letters));
    if (bytes !== undefined) {
      body.append('model', 'listener');
      body.append('file', new File([silence(bytes)], 'sound.wav'));
    }
    return told(await inference.fetch(base + path, { ...init, ...(body && { body }) }));
  },
  /** Begins a stream of which {@link operations.rest} tells later. `unread`: it is not read before. */
  async begin({ name, path, init, unread }) {
    const abort = new AbortController();
    const answer = await inference.fetch(inference.baseURL + path, { ...init, signal: abort.signal });
    const stream = { text: '', error: undefined, done: false, abort, ended: undefined, read };
    async function read() {
      const decoder = new TextDecoder();
      // Firefox's content scripts cannot iterate over a stream.
      const reader = answer.body.getReader();
      try {
        for (let step = await reader.read(); !step.done; step = await reader.read())
          stream.text += decoder.decode(step.value, { stream: true });
      } catch (thrown) {
        stream.error = String(thrown);
      }
      stream.done = true;
    }
    streams.set(name, stream);
    if (!unread) stream.ended = read();
    return answer.status;
  },
  so: ({ name }) => {
    const { text, error, done } = streams.get(name);
    return { text, error, done };
  },
  async rest({ name }) {
    const stream = streams.get(name);
    await (stream.ended ??= stream.read());
    return operations.so({ name });
  },
  abort: ({ name, reason }) => streams.get(name).abort.abort(reason && new Error(reason)),
  /** Address of a page of the extension. */
  address: ({ path }) => chrome.runtime.getURL(path),
  status: () => inference.status(),
  /** All that comes of the requests, one after the other. */
  async raw({ requests }) {
    const answers = [];
    for (const { path, method, headers, base64 } of requests) {
      const body = base64 === undefined ? null : Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const answer = await inference.fetch(inference.baseURL + path, { method, headers, body });
      let letters = '';
      // A copy: Firefox's content scripts get bytes of their page.
      for (const byte of new Uint8Array(structuredClone(await answer.arrayBuffer())))
        letters += String.fromCharCode(byte);
      answers.push({ status: answer.status, headers: [...answer.headers], base64: btoa(letters) });
    }
    return answers;
  },
  /** What becomes of a request that is not for the service. */
  async elsewhere({ url }) {
    const own = globalThis.fetch;
    globalThis.fetch = async (input) => new Response(`the context's own: ${new Request(input).url}`);
    try {
      return await (await inference.fetch(url)).text();
    } finally {
      globalThis.fetch = own;
    }
  },
  watch({ model }) {
    const own = () => inference.status().find(({ id }) => id === model)?.state;
    const seen = [own()];
    states.set(model, seen);
    inference.subscribe(() => seen.at(-1) !== own() && seen.push(own()));
  },
  watched: ({ model }) => states.get(model),
  /** Begins another operation, of which `finish` tells: what drives the context may wait for one at a time. */
  start: ({ operation, argument }) => void (started = run(operation, argument)),
  finish: () => started,
  call: async ({ method, args = [] }) => inference[method](...args),
  stop: () => inference.stop(),
};

/** A sound of that many bytes. */
function silence(bytes) {
  const sound = new Uint8Array(bytes);
  const view = new DataView(sound.buffer);
  const write = (offset, text) => new TextEncoder().encodeInto(text, sound.subarray(offset));
  write(0, 'RIFF');
  view.setUint32(4, bytes - 8, true);
  write(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  // PCM, one channel, 16,000 samples of 16 bits in a second.
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, 16_000, true);
  view.setUint32(28, 32_000, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  write(36, 'data');
  view.setUint32(40, bytes - 44, true);
  return sound;
}

/** A result, or what is known of an error. */
export async function run(operation, argument = {}) {
  try {
    return { result: await operations[operation](argument) };
  } catch (thrown) {
    return { error: { name: thrown.name, code: thrown.code, param: thrown.param, message: thrown.message } };
  }
}
