/**
 * Bodies that were made to cost more than they weigh: texts without end, broken and over-long JSON, forms of thousands of
 * parts, pictures and recordings that would grow when they are decoded.
 * @module
 */
import { wavBytes } from './models.js';

/** A request by what it does. */
export interface HostileBody {
  name: string;
  path: string;
  contentType: string;
  body: () => string | Uint8Array<ArrayBuffer>;
  /** What it may be answered with. */
  status: number;
}

const MEGABYTE = 1_000_000;

const list = <T>(count: number, of: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => of(index));

const CHAT = '/v1/chat/completions';
const json = (name: string, path: string, status: number, body: HostileBody['body']): HostileBody => ({
  name,
  path,
  contentType: 'application/json',
  body,
  status,
});

/** A chat completion with these fields on top. */
const chat = (name: string, status: number, fields: () => object): HostileBody =>
  json(name, CHAT, status, () =>
    JSON.stringify({ model: 'scripted-chat', messages: [{ role: 'user', content: 'Hi.' }], ...fields() }),
  );

const said = (content: string): object => ({ messages: [{ role: 'user', content }] });

/** A body as text in which one field is written by hand. */
const raw = (field: string): string =>
  `{"model":"scripted-chat","messages":[{"role":"user","content":"Hi."}],${field}}`;

const JSON_BODIES: readonly HostileBody[] = [
  json('a million brackets', CHAT, 400, () => '['.repeat(MEGABYTE)),
  json('a million objects inside each other', CHAT, 400, () => '{"a":'.repeat(MEGABYTE / 5)),
  json('a bracket behind quotes and backslashes', CHAT, 400, () => `{"a":"${'\\\\'.repeat(MEGABYTE)}`),
  json('a million escaped quotes', CHAT, 400, () => `{"a":"${'\\"'.repeat(MEGABYTE)}`),
  json('a number of a million digits', CHAT, 400, () => raw(`"temperature":${'9'.repeat(MEGABYTE)}`)),
  json('a tiny number of a million digits', CHAT, 200, () => raw(`"temperature":0.${'0'.repeat(MEGABYTE)}1`)),
  json('the same member 200,000 times', CHAT, 200, () => raw(list(200_000, () => '"a":1').join(','))),
  json('200,000 unknown members', CHAT, 200, () => raw(list(200_000, (index) => `"u${index}":[]`).join(','))),
  json('blanks without end', CHAT, 400, () => ' '.repeat(8 * MEGABYTE)),
  json('blanks before the end', CHAT, 200, () => `${raw('"n":1')}${' '.repeat(8 * MEGABYTE)}`),
  json('bytes that are no text', CHAT, 400, () => new Uint8Array(4 * MEGABYTE).fill(0xff)),
  json(
    'half of a character at the end',
    CHAT,
    400,
    () => new Uint8Array([...new TextEncoder().encode('{"a":"'), 0xf0]),
  ),
  json('a body that stops in the middle', CHAT, 400, () => raw('"n":1').slice(0, -3)),
  json('more than any request may weigh', CHAT, 413, () => new Uint8Array(42 * 1024 * 1024).fill(0x20)),
  json('a list instead of an object', CHAT, 400, () => `[${list(300_000, () => '{}').join(',')}]`),
];

const PROMPTS: readonly HostileBody[] = [
  chat('four megabytes of words', 400, () => said('many words '.repeat((4 * MEGABYTE) / 11))),
  chat('four megabytes of one letter', 400, () => said('a'.repeat(4 * MEGABYTE))),
  chat('four megabytes of line ends', 200, () => said('\n'.repeat(4 * MEGABYTE))),
  chat('a million characters of several parts', 400, () => said('👩‍👩‍👧'.repeat(MEGABYTE / 8))),
  chat('half a million of control tokens', 400, () => said('<|im_start|>'.repeat(500_000))),
  chat('half a million of private characters', 400, () => said('\ue000'.repeat(500_000))),
  chat('100,000 messages', 400, () => ({ messages: list(100_000, () => ({ role: 'user', content: 'word' })) })),
  chat('100,000 parts of one message', 400, () => ({
    messages: [{ role: 'user', content: list(100_000, () => ({ type: 'text', text: 'word' })) }],
  })),
  chat('megabytes of a tool description', 400, () => ({
    tools: [{ type: 'function', function: { name: 'f', description: 'many words '.repeat(300_000) } }],
  })),
  chat('megabytes of a call in the history', 400, () => ({
    messages: [
      { role: 'user', content: 'Hi.' },
      {
        role: 'assistant',
        tool_calls: [
          {
            id: 'a',
            type: 'function',
            function: { name: 'f', arguments: JSON.stringify({ a: 'many words '.repeat(300_000) }) },
          },
        ],
      },
    ],
  })),
  json('megabytes to be counted', '/v1/messages/count_tokens', 400, () =>
    JSON.stringify({ model: 'scripted-chat', ...said('many words '.repeat(300_000)) }),
  ),
  json('megabytes of instructions', '/v1/messages', 400, () =>
    JSON.stringify({ model: 'scripted-chat', max_tokens: 5, system: 'many words '.repeat(300_000), ...said('Hi.') }),
  ),
  json('200,000 input items', '/v1/responses', 400, () =>
    JSON.stringify({ model: 'scripted-chat', input: list(200_000, () => ({ role: 'user', content: 'word' })) }),
  ),
  json('64 prompts of 50,000 characters', '/v1/completions', 400, () =>
    JSON.stringify({ model: 'scripted-chat', prompt: list(64, () => 'many words '.repeat(5_000)) }),
  ),
  json('100,000 prompts', '/v1/completions', 400, () =>
    JSON.stringify({ model: 'scripted-chat', prompt: list(100_000, () => 'x') }),
  ),
  json('a megabyte to be embedded', '/v1/embeddings', 400, () =>
    JSON.stringify({ model: 'scripted-embed', input: 'many words '.repeat(MEGABYTE / 11) }),
  ),
  json('100,000 texts to be embedded', '/v1/embeddings', 400, () =>
    JSON.stringify({ model: 'scripted-embed', input: list(100_000, () => 'word') }),
  ),
];

const oneOfMany = { oneOf: list(400, (index) => ({ type: 'integer', minimum: index * 10, maximum: index * 10 + 9 })) };

const FIELDS: readonly HostileBody[] = [
  chat('100,000 stop sequences', 400, () => ({ stop: list(100_000, (index) => `s${index}`) })),
  chat('a stop sequence of a megabyte', 200, () => ({ stop: `${'a'.repeat(MEGABYTE)}b` })),
  chat('a bias for 200,000 tokens', 200, () => ({
    logit_bias: Object.fromEntries(list(200_000, (index) => [String(index), 1])),
  })),
  chat('128 tools with a schema at the limit each', 400, () => ({
    tools: list(128, (index) => ({ type: 'function', function: { name: `f${index}`, parameters: oneOfMany } })),
  })),
  chat('10,000 tools', 400, () => ({
    tools: list(10_000, (index) => ({ type: 'function', function: { name: `f${index}` } })),
  })),
  chat('tools that are called by one name of a megabyte', 400, () => ({
    tools: [{ type: 'function', function: { name: 'f'.repeat(MEGABYTE) } }],
  })),
  chat('a template argument of 100,000 members', 400, () => ({
    chat_template_kwargs: Object.fromEntries(list(100_000, (index) => [`v${index}`, '{{ 7 * 7 }}'])),
  })),
  chat('a model name of a megabyte', 404, () => ({ model: 'm'.repeat(MEGABYTE) })),
  chat('a million answers', 400, () => ({ n: MEGABYTE })),
];

/** A one-pixel PNG that says that it is as large as this. */
function png(width: number, height: number): string {
  const bytes = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
    'base64',
  );
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes.toString('base64');
}

const pictures = (urls: readonly string[]): object => ({
  messages: [{ role: 'user', content: urls.map((url) => ({ type: 'image_url', image_url: { url } })) }],
});

const IMAGES: readonly HostileBody[] = [
  chat('a picture of 60,000 by 60,000', 400, () => pictures([`data:image/png;base64,${png(60_000, 60_000)}`])),
  chat('a picture of four billion by one', 400, () => pictures([`data:image/png;base64,${png(0xffff_ffff, 1)}`])),
  chat('2,000 pictures that are too large', 400, () =>
    pictures(list(2_000, () => `data:image/png;base64,${png(60_000, 60_000)}`)),
  ),
  chat('150 pictures of 49 million pixels', 400, () =>
    pictures(list(150, () => `data:image/png;base64,${png(7_000, 7_000)}`)),
  ),
  chat('a picture of four megabytes of noise', 400, () =>
    pictures([`data:image/png;base64,${'QUJD'.repeat(MEGABYTE)}`]),
  ),
  chat('an address of four megabytes', 400, () => pictures([`https://example.com/${'a'.repeat(4 * MEGABYTE)}`])),
];

const BOUNDARY = 'form-boundary';
const part = (name: string, value: string): string =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

const form = (name: string, status: number, body: HostileBody['body'], contentType?: string): HostileBody => ({
  name,
  path: '/v1/audio/transcriptions',
  contentType: contentType ?? `multipart/form-data; boundary=${BOUNDARY}`,
  body,
  status,
});

const FORMS: readonly HostileBody[] = [
  form('100,000 parts', 400, () => `${list(100_000, (index) => part(`p${index}`, 'x')).join('')}--${BOUNDARY}--`),
  form('an end that never comes', 400, () => part('model', 'x'.repeat(4 * MEGABYTE))),
  form('a head of four megabytes', 400, () => `--${BOUNDARY}\r\nX: ${'y'.repeat(4 * MEGABYTE)}\r\n\r\n--${BOUNDARY}--`),
  form('100,000 lines of heads', 400, () => `--${BOUNDARY}\r\n${'X: y\r\n'.repeat(100_000)}\r\n\r\n--${BOUNDARY}--`),
  form('half a boundary a million times', 400, () => `--${BOUNDARY.slice(0, -1)}`.repeat(MEGABYTE / 10)),
  form('no boundary', 400, () => part('model', 'x'), 'multipart/form-data'),
  form('a boundary of 100,000 characters', 400, () => 'x', `multipart/form-data; boundary=${'b'.repeat(10_000)}`),
  form('more than a recording may weigh', 400, () => new Uint8Array(27 * 1024 * 1024)),
  form('a recording without a file', 400, () => `${part('model', 'scripted-speech')}--${BOUNDARY}--`),
];

/** A WAV file in which some bytes are written anew. */
function wavWith(change: (view: DataView) => void): Uint8Array<ArrayBuffer> {
  const bytes = wavBytes();
  change(new DataView(bytes.buffer));
  return bytes;
}

/** Recordings of 3 kB that say they are something else. */
export const HOSTILE_RECORDINGS: readonly (readonly [name: string, bytes: Uint8Array<ArrayBuffer>])[] = [
  ['of 1 Hz', wavWith((view) => view.setUint32(24, 1, true))],
  ['of 0 Hz', wavWith((view) => view.setUint32(24, 0, true))],
  ['of four billion Hz', wavWith((view) => view.setUint32(24, 0xffff_ffff, true))],
  ['of 65,535 channels', wavWith((view) => view.setUint16(22, 0xffff, true))],
  ['of no channels', wavWith((view) => view.setUint16(22, 0, true))],
  ['of no bits', wavWith((view) => view.setUint16(34, 0, true))],
  ['that says it has four gigabytes', wavWith((view) => view.setUint32(40, 0xffff_fffe, true))],
  ['whose format goes on for four gigabytes', wavWith((view) => view.setUint32(16, 0xffff_fffe, true))],
  ['of chunks without a length', new Uint8Array([...wavBytes().subarray(0, 12), ...new Uint8Array(100_000)])],
];

/** Every body. */
export const HOSTILE_BODIES: readonly HostileBody[] = [...JSON_BODIES, ...PROMPTS, ...FIELDS, ...IMAGES, ...FORMS];
