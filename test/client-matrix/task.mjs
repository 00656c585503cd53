// What every client is asked to do, and what must come out.

export const CHAT = 'scripted-chat';
export const EMBEDDER = 'scripted-embed';
export const RANKER = 'scripted-rerank';
export const LISTENER = 'scripted-speech';

export const TEXT = 'The quick brown fox jumps over the lazy dog.';
export const SPOKEN = 'Good morning to you.';
export const ANSWER = 'Sun in Paris, rain in Rome.';
export const QUERY = 'Where is the cat?';
export const DOCUMENTS = ['A dog.', 'The cat is here.', 'Trains.'];
export const OBJECT = { city: 'Paris', days: 2 };
export const HELLO = 'Hello';
/** A first turn that is longer than a second one, which needs it. */
export const STORY = 'Once upon a time there was a fox. '.repeat(8);
export const GO_ON = 'Go on.';
export const WEATHER = 'How is the weather?';
/** A model that the service does not have. */
export const UNKNOWN = 'no-such-model';

/** What a client says whose first request is answered by 503, and the next by the text. */
export const onceMore = (client) => `Once more, ${client}.`;

/** What is decided of an input: whether the first holds, and which of the choices. The weights are those of a script. */
export const COMPLAINT = 'I cannot log in!';
export const IS_ANGRY = 'Is it an angry text?';
export const CHOICES = { joy: 'The text is glad.', anger: 'The text is angry.' };
export const WEIGHTS = { Yes: 3, No: 1, joy: 1, anger: 4 };

/** Some clients ask for an object by way of a tool with a name of their own; the scripted model needs to be told it. */
export const objectPrompt = (tool) => `An object for [${tool}], please.`;
export const OBJECT_TOOLS = ['json', 'extract', 'response', 'Place', 'structured_output', 'generate_structured_output'];

export const WEATHER_SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
export const OBJECT_SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'number' } },
  required: ['city', 'days'],
  additionalProperties: false,
};

/** Two calls, one after the other, each in a turn of its own; the third turn is the answer. */
export const REPORTS = { Paris: 'It is sunny in Paris.', Rome: 'It is rainy in Rome.' };

/** A weather service that remembers who asked. */
export function createWeather() {
  const asked = [];
  return {
    asked,
    report({ city }) {
      asked.push(city);
      return REPORTS[city] ?? 'unknown';
    },
  };
}

/** The columns of the table: what a client does, and whether the result is right. */
export const TASKS = {
  chat: { title: 'chat', isRight: (text) => text === TEXT },
  stream: { title: 'stream', isRight: ({ text, pieces }) => text === TEXT && pieces > 1 },
  tools: {
    title: 'tool loop',
    isRight: ({ text, asked }) => text === ANSWER && asked.join() === 'Paris,Rome',
  },
  object: { title: 'structured output', isRight: (value) => value.city === OBJECT.city && value.days === OBJECT.days },
  turns: {
    title: 'stored turns',
    // Each later turn sends little: more tokens than the first had were read from what is stored.
    isRight: ([first, ...later]) => first > 0 && later.length > 0 && later.every((tokens) => tokens > first),
  },
  embeddings: {
    title: 'embeddings',
    isRight: (vectors) =>
      vectors.length === 2 && vectors.every((vector) => vector.length > 1 && Math.abs(vector[0]) < 1),
  },
  rerank: {
    title: 'rerank',
    isRight: (results) =>
      results.map(({ index }) => index).join() === '1,0' &&
      results.every(({ relevanceScore: score }) => score >= 0 && score <= 1),
  },
  decisions: {
    title: 'decisions',
    isRight: ({ probability, choice }) => Math.abs(probability - 0.75) < 1e-6 && choice === 'anger',
  },
  speech: { title: 'speech', isRight: (text) => text === SPOKEN },
  errors: { title: 'errors', isRight: (status) => status === 404 },
  retries: { title: 'retries', isRight: (text) => text === TEXT },
};

/** The status of the error that a client throws. */
export async function statusOfError(request) {
  try {
    return `no error: ${JSON.stringify(await request())}`;
  } catch (thrown) {
    for (let error = thrown; error; error = error.cause ?? error.lastError) {
      const status = error.status ?? error.statusCode ?? error.status_code;
      if (status !== undefined) return status;
    }
    throw thrown;
  }
}

/** Joins what a stream says. */
export async function collect(pieces, textOf = (piece) => piece) {
  let text = '';
  let count = 0;
  for await (const piece of pieces) {
    const part = textOf(piece) ?? '';
    if (part !== '') count += 1;
    text += part;
  }
  return { text, pieces: count };
}

/** A tenth of a second of silence as a WAV file: the scripted listener says the same whatever it hears. */
export function silence() {
  const samples = 1600;
  const view = new DataView(new ArrayBuffer(44 + samples * 2));
  const text = (offset, value) =>
    [...value].forEach((sign, index) => view.setUint8(offset + index, sign.charCodeAt(0)));
  text(0, 'RIFF');
  view.setUint32(4, 36 + samples * 2, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, 16_000, true);
  view.setUint32(28, 32_000, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, 'data');
  view.setUint32(40, samples * 2, true);
  return new Uint8Array(view.buffer);
}
