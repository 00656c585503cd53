import { expect, it } from 'vitest';
import { encodeForm } from '../../src/page/encode-form.js';

it('encodes fields and files so that a parser reads the same form', async () => {
  const form = new FormData();
  form.set('model', 'tiny-whisper');
  form.append('list[]', 'one');
  form.append('list[]', 'two\nlines');
  form.set('a "name"\n', 'ü');
  form.set('file', new File([new Uint8Array([0, 13, 10, 45, 45, 255])], 'a "clip"\r\n.wav', { type: 'audio/wav' }));
  form.set('bare', new Blob(['x']));
  const { type, bytes } = encodeForm(form);
  const read = await new Response(bytes, { headers: { 'content-type': type } }).formData();
  expect(read.get('model')).toBe('tiny-whisper');
  expect(read.getAll('list[]')).toEqual(['one', 'two\r\nlines']);
  expect(await bytes.text()).toContain('name="a %22name%22%0D%0A"');
  const file = read.get('file') as File;
  expect([file.type, [...new Uint8Array(await file.arrayBuffer())]]).toEqual(['audio/wav', [0, 13, 10, 45, 45, 255]]);
  expect((read.get('bare') as File).type).toBe('application/octet-stream');
});
