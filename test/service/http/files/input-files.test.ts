import { expect, it } from 'vitest';
import { makeDocx, makePdf } from '../../files/make-files.js';
import { scriptedChat } from '../../../support/build-app.js';
import { ask, start, upload } from './support.js';

const base64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64');
const PDF = base64(makePdf(['The magic word is xyzzy']));
const DOCX = base64(makeDocx('<w:p><w:r><w:t>The magic word is xyzzy</w:t></w:r></w:p>'));
const models = [scriptedChat({ script: { replies: [{ match: 'xyzzy', text: 'Read.' }, { text: 'Not read.' }] } })];

const responses = (part: object) => [
  '/responses',
  { input: [{ role: 'user', content: [{ type: 'input_file', ...part }] }] },
];
const chat = (file: object) => [
  '/chat/completions',
  { messages: [{ role: 'user', content: [{ type: 'file', file }] }] },
];
const FORMS = { responses, chat } as Record<string, (part: object) => any>;
const PATHS: Record<string, string> = { responses: 'input.0.content.0', chat: 'messages.0.content.0.file' };

it.each(['service', 'hosted'] as const)('[F23] reads files in requests: %s', async (compatibility) => {
  const app = await start({ models, compatibility });
  const id = await upload(app, makePdf(['The magic word is xyzzy']), 'stored.pdf');
  const unread = await upload(app, new Uint8Array([0, 1]), 'x.bin');
  for (const [name, form] of Object.entries(FORMS)) {
    const send = async (part: object) => {
      const [path, body] = form(part);
      return ask(app, 'POST', path, { model: 'scripted-chat', ...body });
    };
    for (const part of [
      { file_data: base64('xyzzy'), filename: 'a.txt' },
      { file_data: `data:application/pdf;base64,${PDF}`, filename: 'a.pdf' },
      { file_data: DOCX, filename: 'a.docx' },
      { file_id: id },
    ]) {
      const { status, body } = await send(part);
      expect([status, JSON.stringify(body).includes('"Read."')]).toEqual([200, true]);
    }
    const path = PATHS[name];
    for (const [part, expected, param, message] of [
      [{}, 400, 'file_data', ''],
      [{ file_data: PDF, file_id: id }, 400, 'file_id', ''],
      [{ file_url: 'https://x.org/a' }, 400, 'file_url', 'url'],
      [{ file_data: base64('%PDF-1.4 broken') }, 400, 'file_data', 'PDF'],
      [{ file_data: `data:application/pdf;base64,${base64('x')}` }, 400, 'file_data', 'PDF'],
      [{ file_data: base64(new Uint8Array([0, 255])) }, 400, 'file_data', ''],
      [{ file_id: unread }, 400, 'file_id', ''],
      [{ file_id: 'file-x' }, 404, 'file_id', ''],
    ] as const) {
      const { status, body } = await send(part);
      expect([status, body.error.param]).toEqual([expected, `${path}.${param}`]);
      expect(body.error.message).toContain(message);
    }
  }
  const document = (source: object) =>
    ask(app, 'POST', '/messages', {
      model: 'scripted-chat',
      max_tokens: 9,
      messages: [{ role: 'user', content: [{ type: 'document', source, title: 'T' }] }],
    });
  const read = await document({ type: 'base64', media_type: 'application/pdf', data: PDF });
  expect(read.body.content[0].text).toBe('Read.');
  const broken = await document({ type: 'base64', media_type: 'application/pdf', data: base64('x') });
  expect([broken.status, broken.body.error.message]).toEqual([400, expect.stringContaining('PDF')]);
});
