/** GGUF files that nobody should load: their heads, and the tokenizers in them. */
import { readGgufHeader } from '../../src/engines/gguf/file/header.js';
import { planModel } from '../../src/engines/gguf/model-plan.js';
import { createGgufTokenizer } from '../../src/engines/gguf/tokenizer/gguf-tokenizer.js';
import { readVocabulary } from '../../src/engines/gguf/tokenizer/vocabulary.js';
import { checkTemplates } from '../../src/language/prompt/template-traits.js';
import type { HostileFile } from './hostile-file.js';

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const u64 = (value: number | bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};
const text = (content: string): Buffer => Buffer.concat([u64(Buffer.byteLength(content)), Buffer.from(content)]);

const [I32, TEXT, ARRAY] = [5, 8, 9];
const entry = (key: string, type: number, ...value: Buffer[]): Buffer =>
  Buffer.concat([text(key), u32(type), ...value]);
const array = (key: string, type: number, length: number | bigint, ...values: Buffer[]): Buffer =>
  entry(key, ARRAY, u32(type), u64(length), ...values);
const texts = (key: string, values: readonly string[]): Buffer =>
  array(key, TEXT, values.length, Buffer.concat(values.map((value) => text(value))));
const words = (count: number, prefix = ''): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index.toString(36)}`);

/** A file that is its head. */
const head = (entries: readonly Buffer[], { tensors = 0, of = entries.length, rest = [] as Buffer[] } = {}): Buffer =>
  // And what aligns its tensors.
  Buffer.concat([Buffer.from('GGUF'), u32(3), u64(tensors), u64(of), ...entries, ...rest, Buffer.alloc(32)]);

const tensor = (name: string): Buffer => Buffer.concat([text(name), u32(1), u64(32), u32(0), u64(0)]);

const readHead = (bytes: Buffer, size = bytes.length) =>
  readGgufHeader(async (from, to) => new Uint8Array(bytes.subarray(from, to)), 'hostile.gguf', size);

const HEADS: [name: string, bytes: () => Buffer, size?: number][] = [
  ['of no bytes', () => Buffer.alloc(0)],
  ['of zeros', () => Buffer.alloc(2 ** 20)],
  ['whose first text has 2^63 bytes', () => head([u64(2n ** 63n)])],
  ['with an array of 2^60 texts', () => head([array('a', TEXT, 2n ** 60n)])],
  ['with an array of 50 million texts that are not there', () => head([array('a', TEXT, 5e7)]), 2 ** 40],
  [
    'with arrays in arrays in arrays',
    () => head([entry('a', ARRAY, ...Array(1_000).fill(Buffer.concat([u32(ARRAY), u64(1)])))]),
  ],
  ['that states a million entries', () => head([], { of: 1e6 })],
  ['of 65,000 entries', () => head(words(65_000).map((key) => entry(key, I32, u32(1))))],
  ['that repeats one key', () => head(Array<Buffer>(1_000).fill(entry('a', I32, u32(1))))],
  ['that states a million tensors', () => head([], { tensors: 1e6 })],
  ['of 65,000 tensors at one place', () => head([], { tensors: 65_000, rest: words(65_000).map(tensor) })],
  ['of 70 MB in one text', () => head([entry('a', TEXT, text(' '.repeat(7e7)))])],
];

const KEYS = 'tokenizer.ggml';
const NORMAL = Buffer.from([1, 0, 0, 0]);
const USER_DEFINED = Buffer.from([4, 0, 0, 0]);

/** Entries of a tokenizer. */
function tokenizer(tokens: readonly string[], { kind = NORMAL, model = 'gpt2', more = [] as Buffer[] } = {}): Buffer[] {
  return [
    entry(`${KEYS}.model`, TEXT, text(model)),
    texts(`${KEYS}.tokens`, tokens),
    array(`${KEYS}.token_type`, I32, tokens.length, Buffer.alloc(4 * tokens.length, kind)),
    ...more,
  ];
}

const scores = (count: number): Buffer => array(`${KEYS}.scores`, I32, count, Buffer.alloc(count * 4));
const powers = Array.from({ length: 16 }, (_, power) => 'ab'.repeat(2 ** power));

const TOKENIZERS: [name: string, entries: () => Buffer[], refused: boolean][] = [
  ['without tokens', () => tokenizer([]), true],
  ['whose tokens are empty', () => tokenizer(Array<string>(1_000).fill('')), false],
  ['of a million tokens that cut a text', () => tokenizer(words(1e6, 'x'), { kind: USER_DEFINED }), false],
  ['of a million merges', () => tokenizer(['a', 'b'], { more: [texts(`${KEYS}.merges`, words(1e6, 'a '))] }), false],
  [
    'whose merges join a whole prompt',
    () =>
      tokenizer(['a', 'b', ...powers], {
        more: [texts(`${KEYS}.merges`, ['a b', ...powers.map((each) => `${each} ${each}`)])],
      }),
    false,
  ],
  [
    'whose pieces join a whole prompt',
    () => tokenizer(['a', 'b', ...powers], { model: 'llama', more: [scores(18)] }),
    false,
  ],
  [
    'whose pieces are all beginnings of a prompt',
    () =>
      tokenizer(
        Array.from({ length: 8_000 }, (_, length) => 'ab'.repeat(4_000).slice(0, length + 1)),
        { model: 'llama', more: [scores(8_000)] },
      ),
    false,
  ],
  ['with a token of 40 MB', () => tokenizer(['a', 'b', 'ab'.repeat(2e7)]), true],
  [
    'whose chat template is ten million blanks',
    () => tokenizer(['a'], { more: [entry('tokenizer.chat_template', TEXT, text(' '.repeat(1e7)))] }),
    true,
  ],
];

const PROMPT = 'ab'.repeat(20_000);

/** Reads the tokenizer as a load does, and a long text with it. */
async function readTokenizer(entries: readonly Buffer[]): Promise<void> {
  const made = createGgufTokenizer(readVocabulary(await readHead(head(entries))));
  checkTemplates(made);
  made.encodeText(PROMPT);
  for (let token = 0; token < Math.min(1_000, made.vocabularySize); token += 1) made.bytesOf(token);
}

export const HOSTILE_GGUF: readonly HostileFile[] = [
  ...HEADS.map(([name, bytes, size]) => ({
    name: `a GGUF file ${name}`,
    read: async () => planModel(await readHead(bytes(), size)),
    refused: true,
  })),
  ...TOKENIZERS.map(([name, entries, refused]) => ({
    name: `a GGUF tokenizer ${name}`,
    read: () => readTokenizer(entries()),
    refused,
  })),
];
