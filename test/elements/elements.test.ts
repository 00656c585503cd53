/** The elements where there is no document, and what their source keeps off. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';

const FOLDER = join(import.meta.dirname, '../../src/elements');

it('[I01] importing them twice does no harm in Node', async () => {
  expect(globalThis).not.toHaveProperty('customElements');
  const first = await import('../../src/elements/index.js');
  vi.resetModules();
  const second = await import('../../src/elements/index.js');
  expect(second.InferenceModelsElement).not.toBe(first.InferenceModelsElement);
  expect(Object.keys(second)).toEqual(Object.keys(first));
});

it('[I01] importing them twice defines each once', async () => {
  const defined = new Map<string, unknown>();
  const define = vi.fn<(name: string, type: unknown) => void>((name, type) => void defined.set(name, type));
  vi.stubGlobal('customElements', { get: (name: string) => defined.get(name), define });
  for (let times = 0; times < 2; times++) {
    vi.resetModules();
    await import('../../src/elements/index.js');
  }
  vi.unstubAllGlobals();
  expect(define.mock.calls.map(([name]) => name)).toEqual(['inpage-models', 'inpage-chat']);
});

it('[I18] no text is parsed as HTML, and no style is inline', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(5);
  const forbidden =
    /\b(?:innerHTML|outerHTML|insertAdjacentHTML|setHTMLUnsafe|createContextualFragment|DOMParser|cssText)\b|\.style\b|['"`]style['"`]|\bstyle=/;
  for (const name of files)
    expect([name, forbidden.exec(readFileSync(join(FOLDER, name), 'utf8'))?.[0]]).toEqual([name, undefined]);
});
