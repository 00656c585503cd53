import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getDefault } from 'valibot';
import { describe, expect, it } from 'vitest';
import { docsFiles, linkedPages } from '../../.ci/docs/docs-pages.js';
import { withGeneratedParts, withoutLayout } from '../../.ci/docs/generated-parts.js';
import { headingId, type SearchSection } from '../../.ci/docs/render-page.js';
import { interfaceTable } from '../../.ci/docs/interface-table.js';
import packageJson from '../../package.json' with { type: 'json' };
import { INFERENCE_OPTIONS } from '../../src/core/models/inference-options.js';
import { documents, readDocument, root, shellLines } from './support/code-blocks.js';

const pages = documents().filter((page) => page !== 'README.md');

/** Links of a document that name a file or a heading of the project. */
function links(page: string): string[] {
  const text = readDocument(page).replaceAll(/^```[^]*?^```$/gm, '');
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !/^https?:/.test(target));
}

describe('the README', () => {
  it('is short', () => {
    expect(Buffer.byteLength(readDocument('README.md'))).toBeLessThanOrEqual(8192);
  });

  it('states the costs that were measured', () => {
    const readme = readDocument('README.md');
    /** Our figure in the first row of the benchmarks that has these words, and what stands beside it. */
    const measured = (words: string): number[] => {
      const row = readDocument('demo/docs/benchmarks.md')
        .split('\n')
        .find((line) => line.startsWith(`| ${words}`));
      return (row ?? '').split('|').slice(2, 4).map(Number);
    };
    const [memory] = measured('memory with 2,048 positions, `Q4_0`');
    const [load] = measured('`Q4_0`, load from the store');
    expect(readme).toContain(`${memory} MB of memory with 2,048 tokens; ${load} s to load from the store`);
    const [read, readByLlama] = measured('`Q4_0`, prompt of 540 over llama.cpp');
    const [written, writtenByLlama] = measured('`Q4_0`, decode over llama.cpp');
    expect(readme).toContain(`${read} read, ${written} written; llama.cpp itself: ${readByLlama}, ${writtenByLlama}`);
    const [, entry] = /'index.js': ([\d.]+)/.exec(readFileSync(join(root, '.ci/check-size.mjs'), 'utf8')) ?? [];
    expect(readme).toContain(`at most ${entry} kB gzip`);
    const sizes = [...readDocument('demo/docs/install.md').matchAll(/\| `inpage\(.*?\)` +\| (\d+) MB/g)].map(
      ([, size]) => Number(size),
    );
    expect(readme).toContain(`${Math.min(...sizes)} to ${Math.max(...sizes)} MB`);
    const model = statSync(join(root, 'public/models/tiny-chat/tiny-chat-Q8_0.gguf')).size;
    expect(readme).toContain(`${(model / 1e6).toFixed(1)} MB for the model`);
    const wasm = statSync(join(root, 'node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm')).size;
    expect(readme).toContain(`${(wasm / 1e6).toFixed(1)} MB for ONNX Runtime`);
    expect(readDocument('demo/docs/install.md')).toContain(`ONNX Runtime alone is ${(wasm / 1e6).toFixed(1)} MB`);
  });

  it('leads to every page of the documents, once', () => {
    expect(
      linkedPages()
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual(pages.toSorted());
  });
});

describe.each(documents())('%s', (page) => {
  it('links to files and headings that there are', () => {
    const broken = links(page).filter((target) => {
      const [file = '', anchor] = target.split('#');
      const path = file === '' ? page : join(dirname(page), file);
      if (!existsSync(join(root, path))) return true;
      if (anchor === undefined) return false;
      const headings = [...readDocument(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => headingId(heading));
      return !headings.includes(anchor);
    });
    expect(broken).toEqual([]);
  });
});

describe('parts made from the source', () => {
  it.each(pages)('are in %s what the source says', async (page) => {
    const text = readDocument(page);
    expect(withoutLayout(await withGeneratedParts(text))).toBe(withoutLayout(text));
  });

  it('are made for a page that has only their marks', async () => {
    const made = await withGeneratedParts(
      '<!-- made: members src/core/models/fault-settings.ts FaultSettings -->\n<!-- /made -->',
    );
    expect(made).toContain(
      '| `cutStreamAfterEvents` | `number` | The connection breaks after so many events of a stream. |',
    );
  });

  it('are a heading for each member, or the flags of a command', async () => {
    const made = await withGeneratedParts(
      '<!-- made: sections src/core/models/inference-options.ts InferenceOptions --><!-- /made --><!-- made: flags serve --><!-- /made -->',
    );
    expect(made).toContain("### `prefix`\n\nType: `string`. Default: `'/v1'`.\n\nPath of the service");
    expect(made).toContain('| `--port N` | TCP port');
    await expect(withGeneratedParts('<!-- made: flags coffee --><!-- /made -->')).rejects.toThrow('coffee');
  });

  it('are refused for a mark that means nothing', async () => {
    await expect(withGeneratedParts('<!-- made: coffee --><!-- /made -->')).rejects.toThrow('coffee');
  });
});

describe('the table of options', () => {
  const { entries } = INFERENCE_OPTIONS;
  const rows = interfaceTable('src/core/models/inference-options.ts', 'InferenceOptions').split('\n').slice(2);
  const presets = rows.map((row) => row.split(/(?<!\\)\|/).map((cell) => cell.trim()));
  const literals = presets.filter(([, , , preset = '']) => /^`.*`$/.test(preset));

  it.each(literals)('%s `%s` names the default that the schema has', (_, name = '', _type, preset = '') => {
    const schema = entries[name.replaceAll('`', '') as keyof typeof entries];
    expect(preset).toBe(`\`${JSON.stringify(getDefault(schema)).replaceAll('"', "'")}\``);
  });

  it('says a default for all that have one', () => {
    const documented = presets
      .filter(([, , , preset]) => preset !== '')
      .map(([, name = '']) => name.replaceAll('`', ''));
    const names = Object.keys(entries).filter((name) => name !== 'onProgress');
    const preset = names.filter((name) => getDefault(entries[name as keyof typeof entries]) !== undefined);
    expect(documented.toSorted()).toEqual(preset.toSorted());
  });
});

describe('the reference', () => {
  const reference = pages.filter((page) => page.startsWith('demo/docs/reference')).map((page) => readDocument(page));

  it('names every entry of the package', () => {
    const entries = Object.keys(packageJson.exports).filter((entry) => entry !== './package.json');
    const missing = entries.filter((entry) => !reference.join('').includes(`\`${entry.replace('.', 'inpage')}\``));
    expect(missing).toEqual([]);
  });

  it('has a heading for each public name', () => {
    const api = readFileSync(join(root, '.ci/public-api.md'), 'utf8');
    const [exported = ''] = api.split('## Named by these');
    const names = [...exported.matchAll(/^export (?:class|const|function|interface|type) (\w+).*$/gm)].map(
      ([line, name = '']) => / \/\/ exported as (\w+)$/m.exec(line)?.[1] ?? name,
    );
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name) => !reference.some((page) => page.includes(`\n### \`${name}\`\n`)))).toEqual([]);
  });
});

describe('the demo', () => {
  const served = new Map(docsFiles().map(({ name, source }) => [name, String(source)]));

  it('serves a page for each document', () => {
    expect(served.get('index.html')).toContain('<h1 id="inpage">Inpage</h1>');
    expect(served.get('options.html')).toContain('href="models.html"');
  });

  it('lists the parts of a page below it, and the headings of a long page', () => {
    expect(served.get('models.html')).toMatch(
      /<a href="endpoints.html">.*\n<a href="endpoints-chat-completions.html" class="part">/,
    );
    expect(served.get('models.html')).toMatch(/aria-label="On this page".*<a href="#embeddings">Embeddings<\/a>/);
    expect(served.get('endpoints-rerank.html')).not.toContain('On this page');
  });

  it('names the column in each cell, for phones', () => {
    expect(served.get('endpoints-rerank.html')).toContain(
      '<td data-label="meaning"><div>What is searched for.</div></td>',
    );
  });

  it('has a list for programs, which leads to the documents themselves', () => {
    const list = served.get('llms.txt') ?? '';
    expect(list).toMatch(/^# Inpage\n\n> Inpage runs an OpenAI- and Anthropic-compatible API inside your web page\./);
    const names = [...list.matchAll(/\]\(\/docs\/([\w.-]+)\)/g)].map(([, name = '']) => name);
    expect(names.length).toBe(pages.length + 1);
    expect(names.filter((name) => !served.get(name)?.startsWith('# '))).toEqual([]);
  });

  it('has a button that copies for each block of code', () => {
    expect(served.get('recipes.html')).toContain('</code></pre><button type="button">Copy</button>');
  });

  it('has an index for the search, whose addresses lead to headings', () => {
    const sections = JSON.parse(served.get('search.json') ?? '') as SearchSection[];
    expect(sections.length).toBeGreaterThan(80);
    const found = sections.find(({ heading }) => heading === 'Integrity');
    expect(found).toMatchObject({ page: 'Model files', url: 'model-files.html#integrity' });
    expect(found?.text).toContain('The hub publishes hashes of its files');
    const lost = sections.filter(({ url }) => {
      const [name = '', anchor] = url.split('#');
      return !served.get(name)?.includes(anchor === undefined ? '<h1' : `id="${anchor}"`);
    });
    expect(lost).toEqual([]);
  });

  it('has in its pages no link to a page or picture that it does not serve', () => {
    const missing = [...served].flatMap(([name, html]) => {
      const targets = name.endsWith('.html') ? [...html.matchAll(/(?:href|src)="([^":#/]+)["#]/g)] : [];
      return targets.flatMap(([, target = '']) => (served.has(target) ? [] : [`${name}: ${target}`]));
    });
    expect(missing).toEqual([]);
  });
});

describe('shell lines', () => {
  it('name scripts that package.json has', () => {
    const scripts = shellLines().flatMap(({ command }) => [...command.matchAll(/npm run ([\w:-]+)/g)]);
    expect(scripts.length).toBeGreaterThan(5);
    expect(scripts.map(([, name = '']) => name).filter((name) => !(name in packageJson.scripts))).toEqual([]);
  });
});

describe('the threat model', () => {
  const text = readDocument('demo/docs/threat-model.md');
  /** Each file that it names, with the test of that file where it names one. */
  const tests = [...text.matchAll(/`(test\/[^`]+\.test\.ts)`(?:: ([^|)\n]+))?/g)].map(([, file = '', title = '']) => ({
    file,
    title: title.trim(),
  }));

  it('names a test in every line of its tables, or says that none is possible', () => {
    const lines = text.split('\n').filter((line) => /^\| (?!-|who|what |input)/.test(line));
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.filter((line) => !/`test\/|none is possible/.test(line))).toEqual([]);
  });

  it.each(tests)('$file has the test "$title"', ({ file, title }) => {
    expect(readFileSync(join(root, file), 'utf8')).toContain(title);
  });
});
