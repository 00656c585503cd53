import { describe, expect, it } from 'vitest';
import { decodeLooseBase64, readDataURL } from '../../../src/core/media/data-url.js';

const BASE64 = btoa(String.fromCharCode(...Array.from({ length: 67 }, (_, index) => (index * 67) % 256)));

describe('[Y36] a data URL', () => {
  it.each([
    ['plain', `data:image/png;base64,${BASE64}`],
    ['with a parameter', `data:image/png;charset=utf-8;base64,${BASE64}`],
    ['with several', `data:image/png;name="a.png";q=1;base64,${BASE64}`],
    ['in capitals', `DATA:IMAGE/PNG;BASE64,${BASE64}`],
    ['with blanks around it', ` \n data:image/png;base64,${BASE64}\r\n `],
    ['with blanks in its head', `data: image/png ;  base64,${BASE64}`],
    ['with blanks in its content', `data:image/png;base64,${BASE64.replaceAll(/.{7}/g, '$& ')}`],
    ['with line breaks', `data:image/png;base64,${BASE64.replaceAll(/.{9}/g, '$&\n')}`],
    ['with escapes', `data:image/png;base64,${BASE64.replaceAll('=', '%3D').replaceAll('+', '%2B')}`],
    ['with escaped blanks', `data:image/png;base64,%20${BASE64}%0A`],
    ['without padding', `data:image/png;base64,${BASE64.replaceAll('=', '')}`],
    ['with a fragment', `data:image/png;base64,${BASE64}#here`],
  ])('%s is read as `fetch` reads it', async (_, url) => {
    const there = await fetch(url);
    const read = readDataURL(url)!;
    expect(read.bytes).toEqual(new Uint8Array(await there.arrayBuffer()));
    expect([read.type, read.bytes.length]).toEqual(['image/png', 67]);
  });

  it('without base64 is read as `fetch` reads it, too', async () => {
    for (const url of ['data:text/html,%3Cp%3Ea b', 'data:,x%', 'data:image/png,%89PNG%zz']) {
      expect(readDataURL(url)!.bytes).toEqual(new Uint8Array(await (await fetch(url)).arrayBuffer()));
    }
    expect(readDataURL('data:,x')!.type).toBe('text/plain');
  });

  it('in the url-safe alphabet is read, and what is none is not', () => {
    const safe = BASE64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    expect(readDataURL(`data:image/png;base64,${safe}`)!.bytes).toEqual(decodeLooseBase64(BASE64));
    for (const url of ['https://a.example/x.png', 'data:image/png;base64', 'data:image/png;base64,!', 'x', ''])
      expect(readDataURL(url)).toBeUndefined();
  });

  it('of many blanks or escapes takes no longer than others', () => {
    for (const content of [' '.repeat(4e6), `${' '.repeat(2e6)}x${' '.repeat(2e6)}`, '%20'.repeat(1e6)])
      expect(readDataURL(`data:image/png;base64,${content}`)?.type ?? '').toMatch(/^(image\/png)?$/);
  });
});
