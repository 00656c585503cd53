import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { explainFileError, readJsonFile } from '../../../src/tools/cli/read-json-file.js';

const folder = mkdtempSync(join(tmpdir(), 'inpage-files-'));
const file = join(folder, 'file');
writeFileSync(file, 'text');
afterAll(() => rmSync(folder, { recursive: true }));

const said = (work: () => unknown): string => {
  try {
    work();
  } catch (thrown) {
    return explainFileError(thrown);
  }
  return '';
};

it('says in words why the system refused a file, and which', () => {
  expect(said(() => mkdirSync(file, { recursive: true }))).toBe(`${file}: is a file, where a folder is needed.`);
  const below = join(file, 'below');
  expect(said(() => writeFileSync(below, ''))).toBe(
    `${below}: a part of this path is a file, where a folder is needed.`,
  );
  expect(said(() => readFileSync(join(folder, 'none')))).toBe(
    `${join(folder, 'none')}: there is no such file or folder.`,
  );
});

it('names the file where the system does not', () => {
  expect(() => readJsonFile(folder)).toThrow(`${folder}: is a folder, where a file is needed.`);
  expect(() => readJsonFile(file)).toThrow(`${file}: is not JSON.`);
});

it('leaves other errors as they are', () => {
  expect(said(() => JSON.parse('{'))).toMatch(/JSON/);
  expect(explainFileError('text')).toBe('text');
});

it.each([
  ['UTF-8 with a byte order mark', Buffer.from('\ufeff{"a":"ä"}')],
  ['UTF-16 of PowerShell', Buffer.from('\ufeff{"a":"ä"}', 'utf16le')],
  ['UTF-16 without a mark', Buffer.from('{"a":"ä"}', 'utf16le')],
  ['UTF-16 in the other order', Buffer.from('\ufeff{"a":"ä"}', 'utf16le').swap16()],
])('[Y32] reads %s', (_, bytes) => {
  const config = join(folder, 'config.json');
  writeFileSync(config, bytes);
  expect(readJsonFile(config)).toEqual({ a: 'ä' });
});

it('[Y32] names the encoding that a file is not in', () => {
  const config = join(folder, 'latin.json');
  writeFileSync(config, Buffer.from('{"a":"\xe4"}', 'latin1'));
  expect(() => readJsonFile(config)).toThrow(`${config}: is not valid UTF-8. Save it as UTF-8.`);
});
