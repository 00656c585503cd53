/** tiny-chat writing JSON after a schema, and the same model writing freely. */
import { loadTextModel } from '../../src/engines/transformers/text/load-text-model.js';
import type { TextModel } from '../../src/language/decoding/create-text-model.js';
import { DEFAULT_MODELS } from '../../src/core/models/default-catalog.js';
import { type GenerationRequest, plainGenerationRequest } from '../../src/core/request/generation-request.js';
import type { JsonSchema } from '../../src/core/request/tool.js';

/** What to measure. */
export interface ConstraintOrder {
  kind: 'schema' | 'free';
  origin: string;
  round: number;
}

const SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    first_name: { type: 'string', maxLength: 20 },
    age: { type: 'integer', minimum: 0, maximum: 120 },
    home_city: { type: 'string', maxLength: 20 },
    favourite_animal: { enum: ['cat', 'dog', 'horse', 'parrot'] },
    is_student: { type: 'boolean' },
  },
  required: ['first_name', 'age', 'home_city', 'favourite_animal', 'is_student'],
  additionalProperties: false,
};
const { signal } = new AbortController();

let loading: Promise<TextModel> | undefined;

function load(origin: string): Promise<TextModel> {
  const [chat] = DEFAULT_MODELS;
  if (!chat) throw new Error('There is no bundled chat model.');
  return loadTextModel(chat, { onProgress: () => {}, signal, assetsURL: `${origin}/inpage/`, pageURL: `${origin}/` });
}

async function run({ kind, origin, round }: ConstraintOrder): Promise<{ rate: number; text: string }> {
  loading ??= load(origin);
  const model = await loading;
  const question = `${round}: Extract the fields as JSON: Anna is 31 years old, lives in Oslo, studies there and loves cats.`;
  const request: GenerationRequest = {
    ...plainGenerationRequest('tiny-chat', {
      type: 'chat',
      messages: [{ role: 'user', content: [{ type: 'text', text: question }] }],
    }),
    maxTokens: kind === 'free' ? 60 : 200,
    ...(kind === 'schema'
      ? { output: { type: 'json-schema', name: 'person', strict: true, schema: SCHEMA } as const }
      : { sampling: { logitBias: { 0: -100, 2: -100 } } }),
  };
  let text = '';
  let tokens = 0;
  let start = 0;
  for await (const events of model.generate(request, signal)) {
    start ||= performance.now();
    for (const event of events) {
      if (event.type === 'end') text = event.rawOutput;
      if (event.type === 'piece') tokens += 1;
    }
  }
  return { rate: tokens / ((performance.now() - start) / 1000), text };
}

globalThis.addEventListener('message', ({ data }: MessageEvent<ConstraintOrder>) => {
  run(data).then(
    (answer) => globalThis.postMessage(answer),
    (error: unknown) => globalThis.postMessage({ error: String(error) }),
  );
});
