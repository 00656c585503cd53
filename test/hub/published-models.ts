/** Published models of each task, and what their cards say that they do. */
import type { ModelEntry } from '../../src/core/models/model-entry.js';

/** Asks a served model. */
export interface Ask {
  /** A JSON request to an endpoint. */
  json<Answer>(path: string, body: object): Promise<Answer>;
  /** A recording to the transcription endpoint: its text. */
  transcribe(recording: Blob): Promise<string>;
  /** A text spoken: a WAV file. */
  speak(text: string): Promise<Uint8Array>;
  /** A file of one of the hub's data sets. */
  fileOfHub(path: string): Promise<Blob>;
}

/** What is asked of a model, and what its card says. @returns what it answered @throws Error for another answer */
export type Check = (ask: Ask) => Promise<string>;

export interface Published {
  task: NonNullable<ModelEntry['task']>;
  check: Check;
}

const SAMPLES = 'datasets/Xenova/transformers.js-docs/resolve/main';

/** What any model of a task must do, whatever its card says. */
export const OF_TASK: Readonly<Record<Published['task'], Check>> = {
  chat: chatting('What is the capital of France?', /\S/),
  embeddings: async (ask) => {
    const [near, far] = await similarities(ask, 'The cat sleeps.', [
      'A cat is asleep.',
      'Interest rates rose in June.',
    ]);
    return expecting(`${fixed(near)} and ${fixed(far)}`, near! > far!, 'what means the same to be nearer');
  },
  rerank: async (ask) => {
    const [right, wrong] = await relevances(ask, 'how do cats sleep', [
      'Cats sleep up to 16 hours.',
      'Rates rose in June.',
    ]);
    return expecting(`${fixed(right)} and ${fixed(wrong)}`, right! > wrong!, 'the right document to be first');
  },
  'speech-to-text': async (ask) => {
    const text = await ask.transcribe(await ask.fileOfHub(`${SAMPLES}/jfk.wav`));
    return expecting(text, /ask not what your country can do for you/i.test(text), 'the words of the recording');
  },
  'text-to-speech': async (ask) => {
    const wav = await ask.speak('The quick brown fox jumps over the lazy dog.');
    const samples = new Int16Array(wav.buffer, wav.byteOffset + 44, (wav.byteLength - 44) >> 1);
    const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    return expecting(
      `${samples.length} samples, ${loudest} at most`,
      samples.length > 16_000 && loudest > 1000,
      'speech',
    );
  },
};

/** By id. The numbers are those of the cards. */
export const PUBLISHED: Readonly<Record<string, Published>> = {
  'HuggingFaceTB/SmolLM2-135M-Instruct': { task: 'chat', check: chatting('What is the capital of France?', /Paris/) },
  'onnx-community/Qwen2.5-0.5B-Instruct': { task: 'chat', check: chatting('What is the capital of France?', /Paris/) },
  'HuggingFaceTB/SmolVLM-256M-Instruct': { task: 'chat', check: seeing('What animals are these?', 'cats.jpg', /cat/i) },
  'Xenova/all-MiniLM-L6-v2': {
    task: 'embeddings',
    check: async (ask) => {
      const found = await similarities(ask, 'The weather is lovely today.', [
        "It's so sunny outside!",
        'He drove to the stadium.',
      ]);
      const stated = [0.666, 0.1046];
      // In 8 bits, as the device takes it.
      const isNear = found.every((similarity, index) => Math.abs(similarity - stated[index]!) < 0.05);
      return expecting(found.map(fixed).join(' and '), isNear, `similarities near ${stated.join(' and ')}`);
    },
  },
  'Xenova/ms-marco-MiniLM-L-6-v2': {
    task: 'rerank',
    check: async (ask) => {
      const [right, wrong] = await relevances(ask, 'How many people live in Berlin?', [
        'Berlin had a population of 3,520,031 registered inhabitants in an area of 891.82 square kilometers.',
        'Berlin is well known for its museums.',
      ]);
      // The card has logits of 8.6 and -4.3.
      return expecting(`${fixed(right)} and ${fixed(wrong)}`, right! > 0.99 && wrong! < 0.1, 'over 0.99 and under 0.1');
    },
  },
  'Xenova/whisper-tiny': { task: 'speech-to-text', check: OF_TASK['speech-to-text'] },
  'Xenova/mms-tts-eng': { task: 'text-to-speech', check: OF_TASK['text-to-speech'] },
};

function chatting(question: string, expected: RegExp): Check {
  return async (ask) => answered(await chat(ask, question), expected);
}

function seeing(question: string, picture: string, expected: RegExp): Check {
  return async (ask) => {
    const bytes = Buffer.from(await (await ask.fileOfHub(`${SAMPLES}/${picture}`)).arrayBuffer());
    const url = `data:image/jpeg;base64,${bytes.toString('base64')}`;
    return answered(
      await chat(ask, [
        { type: 'image_url', image_url: { url } },
        { type: 'text', text: question },
      ]),
      expected,
    );
  };
}

async function chat(ask: Ask, content: unknown): Promise<string> {
  const body = { messages: [{ role: 'user', content }], temperature: 0, max_tokens: 40 };
  const { choices } = await ask.json<{ choices: { message: { content: string } }[] }>('chat/completions', body);
  return choices[0]?.message.content ?? '';
}

function answered(text: string, expected: RegExp): string {
  return expecting(text, expected.test(text), String(expected));
}

/** Cosines of one text to others. */
async function similarities(ask: Ask, text: string, others: readonly string[]): Promise<number[]> {
  const { data } = await ask.json<{ data: { embedding: number[] }[] }>('embeddings', { input: [text, ...others] });
  const [first, ...rest] = data.map(({ embedding }) => embedding);
  return rest.map((vector) => vector.reduce((sum, value, index) => sum + value * first![index]!, 0));
}

/** Scores of documents, in their order. */
async function relevances(ask: Ask, query: string, documents: readonly string[]): Promise<number[]> {
  const { results } = await ask.json<{ results: { index: number; relevance_score: number }[] }>('rerank', {
    query,
    documents,
  });
  return results.toSorted((a, b) => a.index - b.index).map(({ relevance_score: score }) => score);
}

/** @throws Error with both when it is not what was expected */
function expecting(seen: string, isRight: boolean, expected: string): string {
  if (!isRight) throw new Error(`${JSON.stringify(seen)}, expected ${expected}`);
  return seen;
}

function fixed(value: number | undefined): string {
  return value === undefined ? 'nothing' : value.toFixed(4);
}
