/** Files of a model repository that nobody should load: manifests, graphs, tokenizers, chat templates, GGUF files. */
import { Tokenizer } from '@huggingface/tokenizers';
import { keepLastLogits } from '../../src/engines/transformers/onnx-file/keep-last-logits.js';
import { checkGraphSize } from '../../src/engines/transformers/onnx-file/read-graph.js';
import { quantizeByRow } from '../../src/engines/transformers/onnx-file/quantize-by-row.js';
import { chooseWeights } from '../../src/engines/transformers/repository/choose-weights.js';
import {
  checkOwnConfig,
  expectedGraphs,
  modelFileNames,
} from '../../src/engines/transformers/repository/repository-files.js';
import { filesOf, testStore } from '../store/support/node-store.js';
import { rewriteGraph } from '../../src/engines/transformers/onnx-file/write-graph.js';
import { ChatTemplate } from '../../src/language/prompt/chat-template.js';
import { createTextTokenizer } from '../../src/language/prompt/text-tokenizer.js';
import { readManifest } from '../../src/store/sources/pack-manifest.js';
import type { HostileFile } from './hostile-file.js';
import { HOSTILE_GGUF } from './hostile-gguf.js';
import { bytes, type ProtobufMessage, integer } from '../../src/engines/transformers/onnx-file/protobuf.js';

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
  'a file of 10^300 bytes': manifest({ a: file({ bytes: 1e300 }) }),
  'parts of no bytes': manifest({ a: file({ bytes: 1e12, partBytes: 0 }) }),
  'a list in a list in a list': `${'['.repeat(200_000)}${']'.repeat(200_000)}`,
}).map(([name, text]) => ({ name: `a manifest with ${name}`, read: () => readManifest(text), refused: true }));

/** Reads a config as a load does, until it is known which files the model has. */
async function readConfig(config: object): Promise<void> {
  checkOwnConfig('hostile', config);
  const entry = { id: 'hostile', task: 'chat', backend: 'transformers' } as const;
  const files = { exists: async () => true, isStored: async () => false, listed: async () => [] };
  const graphs = expectedGraphs(config as Record<string, unknown>);
  const weights = await chooseWeights(entry, { device: 'wasm', halfFloats: false, graphs, config, files });
  const read = async () => ({ json: async () => config });
  await modelFileNames({ task: 'chat', device: 'wasm', ...weights }, read);
}

const own = (more: object): object => ({ model_type: 'llama', 'transformers.js_config': more });

const CONFIGS: HostileFile[] = (
  [
    ['a billion files of weights', own({ use_external_data_format: 1e9 }), true],
    ['a billion files of one graph', own({ use_external_data_format: { 'model_quantized.onnx': 1e9 } }), true],
    ['a billion files on one device', own({ device_config: { wasm: { use_external_data_format: 1e9 } } }), true],
    ['minus one files of weights', own({ use_external_data_format: -1 }), true],
    ['half a file of weights', own({ use_external_data_format: 0.5 }), true],
    ['a text for a number of files', own({ use_external_data_format: '9'.repeat(1e6) }), true],
    ['a hundred files of weights', own({ use_external_data_format: 100 }), false],
    ['nothing of its own', own(null as unknown as object), false],
    ['a list for its own', own([1, 2, 3]), false],
    ['a million fields', Object.fromEntries(Array.from({ length: 1e6 }, (_, index) => [`f${index}`, index])), false],
  ] as const
).map(([name, config, refused]) => ({ name: `a config with ${name}`, read: () => readConfig(config), refused }));

/** The bytes of a message. */
function joined(...messages: ProtobufMessage[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(messages.flat()));
}

const operators = bytes(8, integer(2, 21));
const graph = (...parts: ProtobufMessage[]): Uint8Array<ArrayBuffer> =>
  joined(integer(1, 10), operators, bytes(7, parts.flat()));
const output = bytes(12, bytes(1, 'logits'));
const node = (input: string, made: string): ProtobufMessage =>
  bytes(1, [...bytes(1, input), ...bytes(1, 'w'), ...bytes(2, made), ...bytes(4, 'MatMul')]);
const nested = (levels: number): ProtobufMessage => {
  let message: ProtobufMessage = node('x', 'logits');
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
  read: () => readGraphFile(content.slice()),
  refused: false,
}));

/** Reads a graph as a load does. */
function readGraphFile(content: Uint8Array<ArrayBuffer>): void {
  checkGraphSize(content);
  rewriteGraph(content, [quantizeByRow, keepLastLogits]);
}

/** So many equal fields, without a list of so many pieces. */
function repeated(field: ProtobufMessage, times: number): ProtobufMessage {
  const one = joined(field);
  const all = new Uint8Array(one.length * times);
  for (let at = 0; at < all.length; at += one.length) all.set(one, at);
  return [all];
}

const sameNode = node('x', 'logits');
const LARGE_GRAPHS: HostileFile[] = (
  [
    ['of a million nodes', () => graph(repeated(sameNode, 1e6), output), true],
    [
      'of a million nodes in a branch',
      () => graph(bytes(1, bytes(5, bytes(6, repeated(sameNode, 1e6)))), output),
      true,
    ],
    [
      'of a million nodes in a function',
      () => joined(operators, bytes(25, repeated(bytes(7, bytes(4, 'If')), 1e6))),
      true,
    ],
    ['of 5,000 layers of state', () => graph(sameNode, repeated(bytes(11, bytes(1, 'past')), 10_000), output), true],
    ['of 190,000 nodes that read one value', () => graph(repeated(sameNode, 190_000), output), false],
    ['of a node with a million inputs', () => graph(bytes(1, repeated(bytes(1, 'x'), 1e6)), output), false],
    ['of a million weights', () => graph(repeated(bytes(5, bytes(8, 'w')), 1e6), sameNode, output), false],
  ] as const
).map(([name, make, refused]) => ({ name: `a graph ${name}`, read: () => readGraphFile(make()), refused }));

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
const normalized = (...normalizers: object[]): object => ({
  ...bpe(),
  normalizer: { type: 'Sequence', normalizers },
});
const replacing = (content: string): object => ({ type: 'Replace', pattern: { String: 'a' }, content });
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
    ['whose normalizer makes a million letters of one', normalized(replacing('x'.repeat(1e6))), true],
    ['whose normalizers double a text sixty times', normalized(...Array(60).fill(replacing('aa'))), true],
    [
      'whose normalizer writes a million letters first',
      normalized({ type: 'Prepend', prepend: 'x'.repeat(1e6) }),
      true,
    ],
    ['with an added token without text', { ...bpe(), added_tokens: [{ ...added(5, ''), content: undefined }] }, true],
    ['with an added token of a number', { ...bpe(), added_tokens: [{ ...added(5, ''), content: 7 }] }, true],
    ['with an added token of one letter', { ...bpe(), added_tokens: [added(0, 'a'), added(5, 'b')] }, false],
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
  'of ten million blanks': ' '.repeat(1e7),
  'of a million loops': '{% for i in l %}{% endfor %}'.repeat(1e6),
  'of brackets in brackets': `{{ ${'('.repeat(100_000)}`,
  'of lists in lists': `{{ ${'['.repeat(100_000)}${']'.repeat(100_000)} }}`,
  'whose comment never ends': `{#${' #'.repeat(140_000)}`,
}).map(([name, source]) => ({
  name: `a chat template ${name}`,
  read: () => new ChatTemplate(source).render({ messages: [] }),
  refused: true,
}));

/** Reads a file from a server that answers so. */
const readFrom =
  (file: string, answer: (asked: Headers) => Response): HostileFile['read'] =>
  () =>
    filesOf(testStore({ fetch: async (_, init) => answer(new Headers(init.headers)) }), 'http://hostile.test/m/').read(
      file,
    );

/** A body of pieces without an end, or of so many. */
const body = (piece: Uint8Array, pieces = Infinity): ReadableStream<Uint8Array> => {
  let left = pieces;
  return new ReadableStream({
    pull: (controller) => (left-- > 0 ? controller.enqueue(piece) : controller.close()),
  });
};
const megabyte = new Uint8Array(2 ** 20).fill(32);
const range = (text: string): Response =>
  new Response(megabyte, { status: 206, headers: { 'content-range': `bytes ${text}` } });
let answers = 0;

const SERVERS: HostileFile[] = (
  [
    ['sends a config without an end', 'config.json', () => new Response(body(megabyte)), true],
    ['sends a tokenizer without an end', 'tokenizer.json', () => new Response(body(megabyte)), true],
    ['sends a template without an end', 'chat_template.jinja', () => new Response(body(megabyte)), true],
    [
      'states a config of 10^15 bytes',
      'config.json',
      () => new Response(body(megabyte), { headers: { 'content-length': '1000000000000000' } }),
      true,
    ],
    ['sends 200,000 pieces of one byte', 'config.json', () => new Response(body(new Uint8Array(1), 200_000)), false],
    ['answers 500 to everything', 'config.json', () => new Response(null, { status: 500 }), true],
    ['answers a status that means nothing', 'config.json', () => new Response(null, { status: 299 }), true],
    ['sends a web page for everything', 'config.json', page, false],
    ['sends other parts than were asked for', 'a.bin', () => range('5-9/10'), true],
    ['sends parts of a file of 2^80 bytes', 'config.json', () => range(`0-1048575/${2 ** 80}`), true],
    ['sends parts without their place', 'a.bin', () => new Response(megabyte, { status: 206 }), true],
    [
      'has another file at every request',
      'a.bin',
      () => new Response(megabyte, { headers: { etag: `"${answers++}"`, 'content-length': '9999999' } }),
      true,
    ],
    ['names a type of a million letters', 'a.bin', () => typed(`text/${'x'.repeat(1e6)}`), false],
  ] as const
).map(([name, file, answer, refused]) => ({
  name: `a server that ${name}`,
  read: readFrom(file, answer),
  refused,
}));

function page(): Response {
  return typed('text/html');
}

function typed(type: string): Response {
  return new Response('<!doctype html>', { headers: { 'content-type': type } });
}

/** All of them: manifests of packs, configs, graphs, tokenizers, templates, servers, GGUF files. */
export const HOSTILE_FILES: readonly HostileFile[] = [
  ...MANIFESTS,
  ...CONFIGS,
  ...GRAPHS,
  ...LARGE_GRAPHS,
  ...TOKENIZERS,
  ...TEMPLATES,
  ...SERVERS,
  ...HOSTILE_GGUF,
];
