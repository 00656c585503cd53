/** Files of a model repository that nobody should load: manifests, graphs, tokenizers, chat templates. */
import { Tokenizer } from '@huggingface/tokenizers';
import { keepLastLogits } from '../../src/model/engines/transformers/onnx-file/keep-last-logits.js';
import { rewriteGraph } from '../../src/model/engines/transformers/onnx-file/write-graph.js';
import { ChatTemplate } from '../../src/model/prompt/chat-template.js';
import { createTextTokenizer } from '../../src/model/prompt/text-tokenizer.js';
import { readManifest } from '../../src/store/sources/pack-manifest.js';
import { bytes, type Message, integer } from '../../src/model/engines/transformers/onnx-file/protobuf.js';

export interface HostileFile {
  name: string;
  /** Reads it as a load or a request does. */
  read: () => unknown;
  /** Whether it is refused; else it is read as what it is, or left to the engine as it is. */
  refused: boolean;
}

const file = (more: object = {}): object => ({ bytes: 1, sha256: 'a', partBytes: 1, parts: ['a'], ...more });
const manifest = (files: unknown, version: unknown = 1): string => JSON.stringify({ version, files });

const MANIFESTS: HostileFile[] = Object.entries({
  'a path to the parent folder': manifest({ '../../etc/passwd': file() }),
  'an absolute path': manifest({ '/etc/passwd': file() }),
  'an address of another origin': manifest({ 'https://evil.example/x': file() }),
  'a path of Windows': manifest({ '..\\..\\secret': file() }),
  'an encoded path to the parent folder': manifest({ '%2e%2e/secret': file() }),
  'a path with a NUL': manifest({ 'a\0b': file() }),
  'a name that is empty': manifest({ '': file() }),
  'a file of minus one bytes': manifest({ a: file({ bytes: -1 }) }),
  'a file whose parts are no list': manifest({ a: file({ parts: { length: 4e9 } }) }),
  'no files': manifest(null),
}).map(([name, text]) => ({ name: `a manifest with ${name}`, read: () => readManifest(text), refused: true }));

/** The bytes of a message. */
function joined(...messages: Message[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(messages.flatMap((message) => message.flatMap((piece) => [...piece])));
}

const operators = bytes(8, integer(2, 21));
const graph = (...parts: Message[]): Uint8Array<ArrayBuffer> =>
  joined(integer(1, 10), operators, bytes(7, parts.flat()));
const output = bytes(12, bytes(1, 'logits'));
const node = (input: string, made: string): Message =>
  bytes(1, [...bytes(1, input), ...bytes(1, 'w'), ...bytes(2, made), ...bytes(4, 'MatMul')]);
const nested = (levels: number): Message => {
  let message: Message = node('x', 'logits');
  // An attribute of a node that holds a graph, which holds such a node.
  for (let level = 0; level < levels; level += 1) message = bytes(1, bytes(5, bytes(6, message)));
  return message;
};

const GRAPHS: HostileFile[] = Object.entries({
  'of no bytes': new Uint8Array(),
  'of zeros': new Uint8Array(100_000),
  'that ends in a length of four gigabytes': new Uint8Array([0x3a, 0xff, 0xff, 0xff, 0xff, 0x0f]),
  'whose number never ends': new Uint8Array(100_000).fill(0xff),
  'whose node makes its own input': graph(node('logits', 'logits'), output),
  'whose nodes are a ring': graph(node('b', 'a'), node('a', 'b'), node('b', 'logits'), output),
  'of 20,000 nodes in a chain': graph(
    ...Array.from({ length: 20_000 }, (_, index) => node(`v${index}`, index === 19_999 ? 'logits' : `v${index + 1}`)),
    output,
  ),
  'of graphs in graphs in graphs': graph(nested(500), output),
  'of a weight with a million dimensions': graph(
    bytes(5, [...bytes(1, [new Uint8Array(1e6).fill(1)]), ...bytes(8, 'w')]),
    node('x', 'logits'),
    output,
  ),
  'of two graphs': joined(operators, bytes(7, output), bytes(7, output)),
}).map(([name, content]) => ({
  name: `a graph ${name}`,
  // The engine gets it as it is, and says what is wrong with it.
  read: () => rewriteGraph(content.slice(), [keepLastLogits]),
  refused: false,
}));

const CONFIG = { tokenizer_class: 'PreTrainedTokenizerFast' };
const TEXT = 'ab'.repeat(20_000);

/** Reads the tokenizer, and a long text with it. */
function readTokenizer(json: object): void {
  const tokenizer = createTextTokenizer({
    tokenizer: new Tokenizer(json, CONFIG),
    json,
    specialTokens: {},
    endTokens: [0],
    chatTemplate: undefined,
  });
  tokenizer.encodeText(TEXT);
  for (let token = 0; token < Math.min(1_000, tokenizer.vocabularySize); token += 1) tokenizer.bytesOf(token);
}

const vocabulary = { a: 0, b: 1, ab: 2, abab: 3, abababab: 4 };
const bpe = (more: object = {}): object => ({
  version: '1.0',
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: null,
  post_processor: null,
  decoder: null,
  model: {
    type: 'BPE',
    vocab: vocabulary,
    merges: ['a b', 'ab ab', 'abab abab'],
    unk_token: 'a',
    fuse_unk: false,
    byte_fallback: false,
    ...more,
  },
});
const added = (id: number, content: string): object => ({
  id,
  content,
  special: true,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
});

const TOKENIZERS: HostileFile[] = (
  [
    ['whose merges join a whole prompt', bpe(), false],
    ['of 50,000 merges', bpe({ merges: Array.from({ length: 50_000 }, () => 'a b') }), false],
    ['with merges of tokens that are not there', bpe({ merges: ['x y', 'q r'] }), false],
    ['without a vocabulary', bpe({ vocab: {} }), false],
    ['with a vocabulary that is a text', bpe({ vocab: 'all' }), false],
    ['whose ids are four billion', bpe({ vocab: { a: 0, b: 4e9 } }), false],
    ['whose ids are negative', bpe({ vocab: { a: -1, b: -2 } }), false],
    ['of another kind', bpe({ type: 'Oracle' }), false],
    ['without a model', { ...bpe(), model: null }, true],
    ['with an added token that is empty', { ...bpe(), added_tokens: [added(5, ''), added(6, 'a')] }, false],
  ] as const
).map(([name, json, refused]) => ({ name: `a tokenizer ${name}`, read: () => readTokenizer(json), refused }));

const again = (times: number, body: string): string =>
  `{% set ns = namespace(x='a', l=[1]) %}{% for i in range(${times}) %}${body}{% endfor %}{{ ns.x }}`;

const TEMPLATES: HostileFile[] = Object.entries({
  'whose text doubles': again(60, '{% set ns.x = ns.x + ns.x %}'),
  'whose list doubles': again(60, '{% set ns.l = ns.l + ns.l %}'),
  'that writes without end': again(150_000, 'a word, a word'),
  'that counts to two billion': '{% for i in range(2000000000) %}{% endfor %}',
  'that counts down from two billion': '{% set l = range(0, -2000000000, -1) %}',
  'of loops in loops': `${'{% for i in range(90000) %}'.repeat(4)}${'{% endfor %}'.repeat(4)}`,
  'whose macro calls itself twice':
    '{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(40) }}',
  'whose macro calls itself forever': '{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}',
  'that is no Jinja': '{% for %}',
  'that refuses everything': "{{ raise_exception('No.') }}",
}).map(([name, source]) => ({
  name: `a chat template ${name}`,
  read: () => new ChatTemplate(source).render({ messages: [] }),
  refused: true,
}));

/** Forty of them. */
export const HOSTILE_FILES: readonly HostileFile[] = [...MANIFESTS, ...GRAPHS, ...TOKENIZERS, ...TEMPLATES];
