import { expect, it } from 'vitest';
import { BrokenForm, boundaryOf, FormFile, readForm } from '../../../src/core/media/read-form.js';

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const SOUND = 'RIFF\0--b\r\n--bc\n';

/** A form with one part. */
const formOf = (head: string, content = SOUND): Uint8Array<ArrayBuffer> =>
  bytesOf(`--b\r\n${head}\r\n\r\n${content}\r\n--b--\r\n`);

function fieldsOf(form: Uint8Array<ArrayBuffer>, boundary = 'b'): unknown[] {
  return readForm(form, boundary, 100).map(([name, value]) =>
    typeof value === 'string' ? [name, value] : [name, value.name, value.type, new TextDecoder().decode(value.bytes)],
  );
}

it.each([
  ['.NET', "form-data; name=file; filename=a.wav; filename*=utf-8''a.wav", 'a.wav'],
  [
    '.NET, where the name is not ASCII',
    'form-data; name=file; filename="=?utf-8?B?w6Q=?="; filename*=utf-8\'\'%C3%A4.wav',
    'ä.wav',
  ],
  ['requests, urllib3 1', 'form-data; name="file"; filename*=utf-8\'\'a%20b.wav', 'a b.wav'],
  ['ISO-8859-1', "form-data; name=file; filename*=iso-8859-1'en'%E4.wav", 'ä.wav'],
  ['filename* in quotes', 'form-data; name="file"; filename*="utf-8\'\'a.wav"', 'a.wav'],
  [
    'filename* in an unknown encoding',
    'form-data; name="file"; filename="a.wav"; filename*=nonsense\'\'b.wav',
    'a.wav',
  ],
  ['the name behind the file name', 'form-data; filename="a.wav"; name="file"', 'a.wav'],
  ['words without quotes', 'form-data; filename=a.wav; name=file', 'a.wav'],
  ['Go and aiohttp', 'form-data; name="file"; filename="a\\"b.wav"', 'a"b.wav'],
  ['a backslash that is escaped', 'form-data; name="file"; filename="a\\\\b.wav"', 'a\\b.wav'],
  ['undici and browsers', 'form-data; name="file"; filename="a%22b%0D%0A.wav"', 'a"b\r\n.wav'],
  ['paths of old browsers', 'form-data; name="file"; filename="C:\\dir\\a.wav"', 'C:\\dir\\a.wav'],
  ['a path that ends with its backslash', 'form-data; name="file"; filename="C:\\dir\\"', 'C:\\dir\\'],
  ['a quote that should have been escaped', 'form-data; name="file"; filename="a"b.wav"', 'a"b.wav'],
  ['a semicolon in a name', 'form-data; name="file"; filename="a;name=b.wav"', 'a;name=b.wav'],
  ['raw UTF-8', 'form-data; name="file"; filename="ä 语.wav"', 'ä 语.wav'],
  ['blanks and cases', 'Form-Data ;  NAME = "file" ;FileName= "a.wav" ', 'a.wav'],
  ['a line that goes on', 'form-data; name="file";\r\n\tfilename="a.wav"', 'a.wav'],
  ['parameters that mean nothing', 'form-data; x; ; size=4; name="file"; filename="a.wav"', 'a.wav'],
  ['an empty name', 'form-data; name="file"; filename=""', ''],
])('[Y35] reads the file as %s writes it', (_, disposition, fileName) => {
  const plain = formOf(`Content-Disposition: ${disposition}\r\nContent-Type: audio/wav`);
  expect(fieldsOf(plain)).toEqual([['file', fileName, 'audio/wav', SOUND]]);
  const other = formOf(`content-type:audio/wav\r\nX-Other: 1\r\nCONTENT-DISPOSITION:${disposition}`);
  expect(fieldsOf(other)).toEqual([['file', fileName, 'audio/wav', SOUND]]);
});

it('[Y35] reads texts, in the encoding that they name', () => {
  const latin = new Uint8Array([
    ...bytesOf(
      '--b\r\nContent-Disposition: form-data; name="prompt"\r\nContent-Type: text/plain; charset=ISO-8859-1\r\nContent-Transfer-Encoding: 8bit\r\n\r\n',
    ),
    0xe4,
    ...bytesOf('\r\n--b\r\nContent-Disposition: form-data; name=model\r\n\r\nm\r\n--b--'),
  ]);
  expect(fieldsOf(latin)).toEqual([
    ['prompt', 'ä'],
    ['model', 'm'],
  ]);
  expect(fieldsOf(formOf('Content-Disposition: form-data; name="a"', ''))).toEqual([['a', '']]);
  expect(fieldsOf(bytesOf('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n--b--'))).toEqual([['a', '']]);
});

it('[Y35] reads what stands around the parts, and white space behind the boundary', () => {
  const part = 'Content-Disposition: form-data; name="a"\r\n\r\nx';
  expect(fieldsOf(bytesOf(`preamble\r\n--bc\r\n--b \t\r\n${part}\r\n--b-- \r\nepilogue --b`))).toEqual([['a', 'x']]);
  expect(fieldsOf(bytesOf(`--b\n${part.replaceAll('\r', '')}\n--b--`))).toEqual([['a', 'x']]);
});

it('[Y35] reads the encodings of mail programs', () => {
  const head = (encoding: string): string =>
    `Content-Disposition: form-data; name="file"; filename="a"\r\nContent-Transfer-Encoding: ${encoding}`;
  expect(fieldsOf(formOf(head('base64'), 'UklG\r\nRg=='))).toEqual([['file', 'a', '', 'RIFF']]);
  expect(fieldsOf(formOf(head('Quoted-Printable'), 'R=49F=\r\nF'))).toEqual([['file', 'a', '', 'RIFF']]);
  expect(fieldsOf(formOf(head('binary'), 'RIFF'))).toEqual([['file', 'a', '', 'RIFF']]);
});

it('[Y35] a part of sound without a name of its own is a file', () => {
  const [[, value] = []] = readForm(
    formOf('Content-Disposition: form-data; name=file\r\nContent-Type: audio/wav'),
    'b',
    100,
  );
  expect(value).toBeInstanceOf(FormFile);
});

it.each([
  ['no end', bytesOf('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n')],
  ['an end that is another', bytesOf('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n--b--c')],
  ['no name', formOf('Content-Disposition: form-data; filename="a.wav"')],
  ['no disposition', formOf('Content-Type: audio/wav')],
  ['another disposition', formOf('Content-Disposition: attachment; name="file"')],
  ['no boundary in it', bytesOf('abc')],
  ['nothing', new Uint8Array()],
  ['too many parts', bytesOf(`${'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(101)}--b--`)],
  ['a head that is too long', formOf(`Content-Disposition: form-data; name="${'a'.repeat(20_000)}"`)],
])('[Y35] refuses a form with %s', (_, form) => {
  expect(() => readForm(form, 'b', 100)).toThrow(BrokenForm);
});

it.each([
  ['multipart/form-data; boundary=b', 'b'],
  ['Multipart/Form-Data;charset=utf-8; BOUNDARY="a b:c"', 'a b:c'],
  ['multipart/form-data; boundary="----=_Part_1.2"; x=y', '----=_Part_1.2'],
  ['multipart/form-data; boundary=""', undefined],
  ['multipart/form-data', undefined],
  ['multipart/mixed; boundary=b', undefined],
])('[Y35] the boundary of %j is %j', (type, boundary) => expect(boundaryOf(type)).toBe(boundary));

it('reads what a FormData writes', async () => {
  const form = new FormData();
  form.set('mod"el', 'a\r\nb');
  form.set('file', new File([new Uint8Array([0, 255, 13, 10])], 'ä".wav', { type: 'audio/wav' }));
  const sent = new Response(form);
  const bytes = new Uint8Array(await sent.arrayBuffer());
  const [[name, text], [, file]] = readForm(bytes, boundaryOf(sent.headers.get('content-type')!)!, 2) as [
    [string, string],
    [string, FormFile],
  ];
  expect([name, text, file.name, [...file.bytes]]).toEqual(['mod"el', 'a\r\nb', 'ä".wav', [0, 255, 13, 10]]);
});
