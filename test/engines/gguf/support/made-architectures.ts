/** Made files of architectures with layers of several kinds, in 32-bit floats. @module */
import { MADE_DECODERS, type Numbers, type Shapes, VOCABULARY, WIDTH } from './made-decoders.js';
import { MADE_ENCODERS } from './made-encoders.js';
import { type TensorInput, writeGguf } from './write-gguf.js';

/** Numbers between -1 and 1 that do not repeat. */
export function* randomNumbers(seed = 7): Generator<number, never> {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 31 - 1;
  }
}

/** A tensor by its name: norms around 1, matrices whose products keep the size of rows. */
function madeTensor(name: string, shape: readonly number[], random: Iterator<number>): TensorInput {
  const length = shape.reduce((product, size) => product * size, 1);
  const next = (): number => random.next().value as number;
  const of = (): number => {
    if (name.endsWith('ssm_a')) return -0.5 - 0.4 * next();
    if (/rope_freqs/.test(name)) return 1;
    if (/norm|scale|ssm_d$/.test(name)) return 1 + 0.3 * next();
    if (/bias|sinks/.test(name)) return 0.5 * next();
    if (/token_embd|token_types|position/.test(name)) return next();
    return (next() * 1.7) / Math.sqrt(shape[0]!);
  };
  return { name, shape, kind: 'F32', data: Float32Array.from({ length }, of) };
}

const VOCABULARY_KEYS = {
  'tokenizer.ggml.model': 'gpt2',
  'tokenizer.ggml.pre': 'smollm',
  'tokenizer.ggml.tokens': [
    ...Array.from({ length: 95 }, (_, index) => String.fromCodePoint(32 + index).replace(' ', 'Ġ')),
    'Ċ',
    'he',
    'll',
    'Ġw',
    'or',
    'th',
    'Ġa',
    'Ġs',
    '<|im_start|>',
    '<|im_end|>',
    '<|endoftext|>',
  ],
  'tokenizer.ggml.token_type': Array.from({ length: VOCABULARY }, (_, id) => (id < 103 ? 1 : 3)),
  'tokenizer.ggml.merges': ['h e', 'l l', 'Ġ w', 'o r', 't h', 'Ġ a', 'Ġ s'],
  'tokenizer.ggml.eos_token_id': 104,
  'tokenizer.chat_template':
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}",
} as const satisfies Numbers;

export const architectureOf = (name: string): string => name.split(' ')[0]!;

export interface MadeContent {
  metadata: Numbers;
  tensors: TensorInput[];
}

/** What is in the file of a made model. */
export function madeContent(name: string): MadeContent {
  const architecture = architectureOf(name);
  const made = MADE_DECODERS[name] ?? MADE_ENCODERS[name]!;
  const { layers, keys, tensors, more = {}, metadata = {} } = made;
  const outputNorm = name in MADE_DECODERS ? { [made.outputNorm ?? 'output_norm.weight']: [WIDTH] } : {};
  const random = randomNumbers();
  const make = (shapes: Shapes, prefix = ''): TensorInput[] =>
    Object.entries(shapes).map(([part, shape]) => madeTensor(prefix + part, shape, random));
  const own = { context_length: 512, embedding_length: WIDTH, block_count: layers, ...keys };
  return {
    metadata: {
      'general.architecture': architecture,
      'general.name': `Made ${architecture}`,
      ...Object.fromEntries(Object.entries(own).map(([key, value]) => [`${architecture}.${key}`, value])),
      ...metadata,
      ...VOCABULARY_KEYS,
    },
    tensors: [
      ...make({ 'token_embd.weight': [WIDTH, VOCABULARY], ...outputNorm, ...more }),
      ...Array.from({ length: layers }, (_, layer) => make(tensors(layer), `blk.${layer}.`)).flat(),
    ],
  };
}

export const madeFile = (name: string): Uint8Array<ArrayBuffer> => writeGguf(madeContent(name));

/** The prompt whose log-probabilities are recorded. */
export const MADE_PROMPT: readonly number[] = Array.from(
  { length: 85 },
  (_, index) => (index * 37 + Math.floor(index / 7) * 5 + 3) % 103,
);
