/** Faults of libraries that are mended here, with the patches that mend them there. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Tokenizer } from '@huggingface/tokenizers';
import { expect, it, onTestFinished } from 'vitest';

/** The module of a package as it is installed, and the same with its patch. */
async function beforeAndAfter<Module>(library: string, file: string, patch: string): Promise<Module[]> {
  const require = createRequire(import.meta.url);
  const folder = dirname(dirname(require.resolve(`@huggingface/${library}`)));
  const patched = mkdtempSync(join(tmpdir(), 'inpage-patched-'));
  onTestFinished(() => rmSync(patched, { recursive: true }));
  cpSync(folder, patched, { recursive: true });
  execFileSync('git', ['apply', '-p1', join(import.meta.dirname, patch)], {
    cwd: patched,
    // The folder may lie in a repository, to which the patch does not belong.
    env: { ...process.env, GIT_CEILING_DIRECTORIES: dirname(patched) },
  });
  expect(readFileSync(join(patched, file))).not.toEqual(readFileSync(join(folder, file)));
  return Promise.all(
    [folder, patched].map(async (each) => (await import(pathToFileURL(join(each, file)).href)) as Module),
  );
}

it('tokenizers: a Σ that ends a word, and ideographs above U+FFFF', async () => {
  const modules = await beforeAndAfter<{ Tokenizer: typeof Tokenizer }>(
    'tokenizers',
    'dist/tokenizers.mjs',
    'tokenizers.patch',
  );
  const tokensWith = (normalizer: object) =>
    modules.map((module) => {
      const vocab = { '[UNK]': 0, οδος: 1, οδοσ: 2, 𠮷: 3 };
      const model = {
        type: 'WordPiece',
        vocab,
        unk_token: '[UNK]',
        continuing_subword_prefix: '##',
        max_input_chars_per_word: 100,
      };
      const json = {
        added_tokens: [],
        normalizer,
        pre_tokenizer: { type: 'WhitespaceSplit' },
        model,
        post_processor: null,
        decoder: null,
      };
      const tokenizer = new module.Tokenizer(json, {});
      return ['ΟΔΟΣ', '𠮷𠮷'].map((text) => tokenizer.encode(text).tokens.join(' '));
    });
  const bert = {
    type: 'BertNormalizer',
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  };
  expect(tokensWith(bert)).toEqual([
    ['οδος', '[UNK]'],
    ['οδοσ', '𠮷 𠮷'],
  ]);
  expect(tokensWith({ type: 'Lowercase' }).map(([greek]) => greek)).toEqual(['οδος', 'οδοσ']);
});

/** As far as it is used. Inpage itself does not need the library. */
interface Jinja {
  Template: new (source: string) => { render(variables: object): string };
}

it('jinja: a dictionary with a key `items`', async () => {
  const modules = await beforeAndAfter<Jinja>('jinja', 'dist/index.js', 'jinja.patch');
  const source =
    "{% for key, value in given.items() %}{{ key }}={{ value }};{% endfor %}{{ given['items'] }}{{ given.city }}";
  const [before, after] = modules.map(
    (module) => () => new module.Template(source).render({ given: { items: 'all', city: 'Rome' } }),
  );
  expect(before).toThrow(/function/);
  expect(after!()).toBe('items=all;city=Rome;allRome');
});
