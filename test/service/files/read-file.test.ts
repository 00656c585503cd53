import { describe, expect, it } from 'vitest';
import { readFile } from '../../../src/service/files/read/read-file.js';
import { readPdfInNode } from '../../../src/serve/models/pdf-in-node.js';
import { makeDocx, makePdf, makeZip, W } from './make-files.js';

const encode = (text: string) => new TextEncoder().encode(text);
const read = (bytes: Uint8Array<ArrayBuffer>, name = 'x') => readFile(bytes, name, readPdfInNode);
const codeOf = async (...given: Parameters<typeof read>) => {
  const text = await read(...given);
  return typeof text === 'string' ? `text: ${text}` : text.code;
};

describe('[F08] text of files', () => {
  it('is text in UTF-8 and UTF-16, whatever its name', async () => {
    expect(await read(encode('Grüße, 東京 🙂'), 'a.bin')).toBe('Grüße, 東京 🙂');
    expect(await read(encode('\u{feff}x'))).toBe('x');
    expect(await read(new Uint8Array([0xff, 0xfe, 0x41, 0, 0xe4, 0]))).toBe('Aä');
    expect(await read(new Uint8Array([0xfe, 0xff, 0, 0x41]))).toBe('A');
    expect(await read(encode('<!doctype html><p>code</p>'), 'page.txt')).toContain('<p>');
  });

  it('is what HTML shows', async () => {
    const page = `<!DOCTYPE html><html><head><title>A &amp; B</title><style>p{}</style></head><body><!-- no -->
      <p title="a > b">One&nbsp;<b>tw</b>o &#8364; &eacute; &notanentity;</p><script>if (a < b) "</p>";</script>
      <ul><li>first<li>second</ul><pre>  kept
   so</pre><noscript>off</noscript></body></html>`;
    const text = 'A & B\nOne\u{a0}two € é &notanentity;\nfirst\nsecond\n  kept\n   so';
    expect(await read(encode(page))).toBe(text);
    expect(await read(encode('<p>Hi</p>there'), 'a.HTML')).toBe('Hi\nthere');
  });

  it('is the paragraphs of DOCX', async () => {
    const body =
      '<w:p><w:r><w:t xml:space="preserve">One </w:t></w:r><w:r><w:t>two &lt;3</w:t><w:tab/><w:t>x</w:t></w:r></w:p>' +
      '<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:r><w:t>Three</w:t></w:r></w:p>';
    const file = makeDocx(body);
    expect(await read(file)).toBe('One two <3\tx\nThree');
    expect(await codeOf(file.slice(0, file.length - 60))).toBe('invalid_file');
    expect(await codeOf(makeDocx('<w:p/>'))).toBe('invalid_file');
    expect(await codeOf(makeZip({ 'xl/workbook.xml': '<x/>' }))).toBe('unsupported_file');
  });

  it('is the part that a DOCX names as its document, without tab stops', async () => {
    const stops = '<w:pPr><w:tabs><w:tab w:val="left" w:pos="720"/></w:tabs></w:pPr>';
    const xml = `<w:document ${W}><w:p>${stops}<w:r><w:t>A</w:t><w:tab /><w:t>B</w:t></w:r></w:p></w:document>`;
    const names = (target: string): string =>
      `<Relationships><Relationship Id="r1" Type="http://x/relationships/officeDocument" Target="${target}"/></Relationships>`;
    expect(await read(makeZip({ '_rels/.rels': names('/word/document2.xml'), 'word/document2.xml': xml }))).toBe(
      'A\tB',
    );
    expect(await codeOf(makeZip({ '_rels/.rels': names('xl/workbook.xml'), 'xl/workbook.xml': xml }))).toBe(
      'unsupported_file',
    );
    expect(await codeOf(makeZip({ '_rels/.rels': names('word/gone.xml') }))).toBe('unsupported_file');
  });

  it('is the pages of PDF in order', async () => {
    expect(await read(makePdf(['First page', 'Second page']))).toBe('First page\n\nSecond page');
    expect(await codeOf(makePdf(['']))).toBe('invalid_file');
    expect(await codeOf(encode('%PDF-1.4\nnothing more'))).toBe('invalid_file');
  });

  it('tells what is no such file from what cannot be read', async () => {
    expect(await codeOf(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1]))).toBe('unsupported_file');
    expect(await codeOf(encode('a\0b'))).toBe('unsupported_file');
    expect(await codeOf(encode('Grüße').slice(0, 4))).toBe('text: Grü');
    expect(await codeOf(encode('Grü').slice(0, 3))).toBe('invalid_file');
    expect(await codeOf(encode(' \n '))).toBe('invalid_file');
    expect(await codeOf(encode('\0'), 'a.pdf')).toBe('invalid_file');
  });
});
