import { describe, expect, it } from 'vitest';
import { MODEL_ENTRY } from '../../../src/core/models/model-entry-schema.js';
import { parseOptions } from '../../../src/core/models/option-schema.js';
import { chooseFile } from '../../../src/engines/gguf/choose-file.js';

const chosen = (names: readonly string[], file?: string): string =>
  chooseFile(
    { id: 'm', ...(file !== undefined && { file }) },
    names.map((name, index) => ({ name, bytes: 100 - index })),
  );

const REPOSITORY = [
  'README.md',
  'm-Q8_0.gguf',
  'm-Q4_K_M.gguf',
  'm-Q4_0.gguf',
  'sub/m-Q4_K_M.gguf',
  'mmproj-m-F16.gguf',
];

describe('[W02] the file of a repository', () => {
  it.each(['x.bin', 'x.gguf?token=1', '/x.gguf', '../x.gguf', 'a/../x.gguf', 'https://a.b/x.gguf', '', 5])(
    'is refused by name when inference starts: %s',
    (file) => {
      const entry = { id: 'm', task: 'chat', backend: 'gguf', source: 'own/er', file };
      const error = { code: 'invalid_request', details: { param: 'file' } };
      expect(() => parseOptions(MODEL_ENTRY, entry)).toThrow(expect.objectContaining(error));
    },
  );

  it('is the one that `file` names, `*` for any characters but `/`', () => {
    expect(chosen(REPOSITORY, 'm-Q8_0.gguf')).toBe('m-Q8_0.gguf');
    expect(chosen(REPOSITORY, '*Q4_K_M.gguf')).toBe('m-Q4_K_M.gguf');
    expect(chosen(REPOSITORY, 'sub/*.gguf')).toBe('sub/m-Q4_K_M.gguf');
    expect(chosen(['a.b.gguf', 'aXb.gguf'], 'a.b.gguf')).toBe('a.b.gguf');
  });

  it('is refused when it fits none or several, with the list of GGUF files', () => {
    const error = expect.objectContaining({ code: 'invalid_request', details: { param: 'models', permanent: true } });
    expect(() => chosen(REPOSITORY, '*Q5_K_M.gguf')).toThrow(error);
    expect(() => chosen(REPOSITORY, '*Q5_K_M.gguf')).toThrow(
      /fits no file.*`m-Q4_0.gguf`, `m-Q4_K_M.gguf`, `m-Q8_0.gguf`/,
    );
    expect(() => chosen(REPOSITORY, '*Q5_K_M.gguf')).not.toThrow(/README/);
    expect(() => chosen(REPOSITORY, 'm-*.gguf')).toThrow(/fits 3 files.*`m-Q4_0.gguf`/);
    expect(() => chosen(['README.md'])).toThrow(/no GGUF file/);
  });

  it('is the best known precision without `file`, else the smallest', () => {
    expect(chosen(REPOSITORY)).toBe('m-Q4_K_M.gguf');
    expect(chosen(['M.F16.GGUF', 'M.q4_0.GGUF', 'M.q5_k_m.GGUF'])).toBe('M.q4_0.GGUF');
    expect(chosen(['m-bf16.gguf', 'm-f16.gguf', 'm-f32.gguf'])).toBe('m-bf16.gguf');
    expect(chosen(['m-Q4_K_S.gguf', 'm-IQ4_XS.gguf', 'm-Q4_K_L.gguf'])).toBe('m-Q4_K_L.gguf');
    const pieces = ['m-Q4_K_M-00002-of-00002.gguf', 'm-Q4_K_M-00001-of-00002.gguf'];
    expect(chosen(['mmproj-Q4_K_M.gguf', 'm-Q8_0.gguf', ...pieces])).toBe(pieces[1]);
    expect(chosen([...pieces.slice(0, 1), 'm-Q8_0.gguf'])).toBe('m-Q8_0.gguf');
  });
});
