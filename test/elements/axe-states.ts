/** Both elements in each of their states, as axe sees them: for browsers that are driven from outside. @module */
import type axe from 'axe-core';
import type { ModelStatus } from '../../src/core/models/model-status.js';
import type { StoredModel } from '../../src/core/models/stored-model.js';
import type { ElementInference } from '../../src/elements/index.js';

/** Runs in a page that has both elements, and axe. It uses nothing around it. @returns what axe finds, a line each */
export async function axeInEveryState(): Promise<string[]> {
  const { axe: checker } = window as unknown as { axe: typeof axe };
  const picker = document.querySelector('inpage-models')!;
  const chat = document.querySelector('inpage-chat')!;
  const until = async (isSo: () => unknown): Promise<void> => {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const progress = { file: 'model.gguf', loadedBytes: 1e9, totalBytes: 2e9, bytesPerSecond: 1e6, remainingSeconds: 9 };
  const told: Record<string, Partial<ModelStatus>> = {
    absent: {},
    impossible: {},
    downloading: { progress: { ...progress, model: 'downloading', stage: 'download', waiting: 'network' } },
    paused: {},
    stored: {},
    loading: { state: 'loading', progress: { ...progress, model: 'loading', stage: 'initialize' } },
    loaded: { state: 'ready', device: 'wasm' },
    failed: { state: 'failed', error: { code: 'internal', message: 'The engine was lost.' } },
  };
  const kept = ([id, bytes]: readonly [string, number]): StoredModel => ({
    models: id === 'kept' ? [] : [id],
    source: `https://hub.test/${id}/`,
    files: [{ file: 'model.gguf', bytes, complete: bytes === 2e9, verified: true }],
    bytes,
    complete: bytes === 2e9,
    verified: true,
    lastUsed: 0,
  });
  const service: ElementInference = {
    baseURL: `${location.origin}/v1`,
    fetch: async () => Response.json({ error: { message: 'The engine was lost.' } }, { status: 500 }),
    status: () =>
      Object.entries(told).map(([id, status]) => ({
        ...({ id, task: 'chat', backend: 'gguf', state: 'absent', queued: 0 } as const),
        ...status,
      })),
    subscribe: () => () => {},
    load: async () => {},
    unload: async () => {},
    download: async () => {},
    remove: async () => {},
    stored: async () =>
      (
        [
          ['paused', 1e9],
          ['stored', 2e9],
          ['loaded', 2e9],
          ['kept', 2e9],
        ] as const
      ).map(kept),
    estimate: async (model) => ({
      model,
      bytes: 2e9,
      missingBytes: model === 'loaded' ? 0 : 2e9,
      license: 'MIT',
      verdict: model === 'impossible' ? 'no' : 'fits',
      reasons: model === 'impossible' ? [{ code: 'webgpu', message: 'No WebGPU.', cure: 'Use another.' }] : [],
    }),
  };
  const row = (id: string) => picker.shadowRoot!.querySelector<HTMLElement>(`[part=model][data-model=${id}]`);
  const press = (id: string, action: string): void =>
    row(id)!.querySelector<HTMLElement>(`[data-action=${action}]`)!.click();
  const dialog = (): HTMLDialogElement | null => picker.shadowRoot!.querySelector('dialog');
  const found: string[] = [];
  const look = async (state: string): Promise<void> => {
    const { violations } = await checker.run(document, { resultTypes: ['violations'] });
    found.push(...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${state}, ${id}: ${html}`)));
  };
  const close = async (): Promise<void> => {
    dialog()!.close();
    await until(() => !dialog());
  };
  picker.inference = service;
  chat.inference = service;
  chat.messages = [{ role: 'assistant', content: 'Hello.' }];
  await chat.send('Hello?');
  const shown = (id: string): boolean => row(id)?.dataset['state'] === (id === 'impossible' ? 'absent' : id);
  await until(() => Object.keys(told).every(shown) && picker.shadowRoot!.querySelector('[part=kept]'));
  await until(() => row('absent')!.querySelector('[part=license]')!.textContent);
  // Of a page without a background axe believes that it is white.
  document.documentElement.style.background = 'Canvas';
  for (const scheme of ['dark', 'light']) {
    for (const { style } of [document.documentElement, document.body]) style.colorScheme = scheme;
    await look(`list and chat, ${scheme}`);
  }
  press('absent', 'download');
  await until(dialog);
  await look('consent');
  await close();
  press('stored', 'remove');
  await until(dialog);
  await look('confirm');
  await close();
  return found;
}
