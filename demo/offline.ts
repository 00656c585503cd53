/** After one visit the page works without a network: `public/sw.js` keeps what passes, this sees to it that all passes. */
import { signal } from '@preact/signals';
import { DEFAULT_MODELS } from 'inpage';

/** The page, its engine and the bundled models are kept: a reload needs no network. */
export const worksOffline = signal(false);

/** Where `startInference` registers it too; a second registration of the same is none. */
const SERVICE_WORKER = '/sw.js';

/** Milliseconds that a first visit waits for the Service Worker before it starts without. */
const PATIENCE = 5_000;

/** How often the page looks whether the Service Worker has stored a file, and the milliseconds between two looks. */
const STORE_LOOKS = 20;
const STORE_PAUSE = 50;

/** For a server that sends `require-trusted-types-for 'script'`: the demo's own policy, beside the library's. */
function trusted(url: string): string {
  interface Policy {
    createScriptURL(url: string): string;
  }
  const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } };
  return trustedTypes?.createPolicy('playground', { createScriptURL: (given) => given }).createScriptURL(url) ?? url;
}

const SCRIPTS = '/assets/';
const ENGINE_FILES = [
  '/inpage/ort-module.mjs',
  '/inpage/ort-wasm-simd-threaded.mjs',
  '/inpage/ort-wasm-simd-threaded.wasm',
];

/** What the bundled models are made of that come in several files. */
const TOKENIZER = ['config.json', 'tokenizer.json', 'tokenizer_config.json'];
const MODEL_FILES: Record<string, string[]> = {
  'tiny-embed': [...TOKENIZER, '1_Pooling/config.json', 'onnx/model_quantized.onnx', 'notes.json'],
  'tiny-whisper': [
    ...TOKENIZER,
    'generation_config.json',
    'preprocessor_config.json',
    'onnx/encoder_model_quantized.onnx',
    'onnx/decoder_model_merged_quantized.onnx',
    'clips/clips.json',
    'clips/en-2.wav',
  ],
};

/** Puts the Service Worker in place before any worker starts, so that the workers' files pass through it. */
export async function openOfflineCache(): Promise<void> {
  const container = navigator.serviceWorker;
  if (!container || container.controller) return;
  const controlled = new Promise<void>((resolve) => {
    container.addEventListener('controllerchange', () => resolve(), { once: true });
  });
  const { active } = await container.register(trusted(SERVICE_WORKER));
  // A page that was reloaded past its worker gets no controller by itself.
  if (!active) await Promise.race([controlled, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
}

/** Fetches what this visit loaded before the worker was there, and what it has not needed yet. */
export async function keepOfflineCopy(): Promise<void> {
  if (!navigator.serviceWorker?.controller) return;
  const loaded = performance.getEntriesByType('resource').map(({ name }) => new URL(name));
  const scripts = loaded.filter(({ origin, pathname }) => origin === location.origin && pathname.startsWith(SCRIPTS));
  const models = DEFAULT_MODELS.flatMap(
    ({ id, source = id }) => MODEL_FILES[id]?.map((file) => `${source}/${file}`) ?? [source],
  );
  const paths = new Set([location.pathname, ...scripts.map(({ pathname }) => pathname), ...ENGINE_FILES, ...models]);
  let missing = 0;
  // One after another: what the visitor does now goes first. The set grows by what the scripts may import later.
  for (const path of paths) {
    const text = await fetchThrough(path);
    // That a file came says nothing of whether the Service Worker could store it.
    if (text === undefined || !(await isStored(path))) missing++;
    if (text !== undefined && path.startsWith(SCRIPTS)) for (const name of importsOf(text)) paths.add(SCRIPTS + name);
  }
  worksOffline.value = missing === 0;
}

/** The Service Worker answers before it has stored a file, so this looks for a while. */
async function isStored(path: string): Promise<boolean> {
  for (let look = 0; look < STORE_LOOKS; look++) {
    if (await caches.match(path, { ignoreVary: true })) return true;
    await new Promise((resolve) => setTimeout(resolve, STORE_PAUSE));
  }
  return false;
}

/** Names of built scripts and kernels in a built script, which have a folder before them; other files may have such names too. */
function importsOf(script: string): string[] {
  const names = script.matchAll(/["'`](?:\.\/|\/?assets\/)([\w.-]+-[\w-]{8}\.(?:js|wasm))["'`]/g);
  return [...names].map(([, name]) => name).filter((name) => name !== undefined);
}

/** A file's text, kept by the Service Worker on its way. What fails now is fetched when it is needed. */
async function fetchThrough(path: string): Promise<string | undefined> {
  try {
    const response = await fetch(path, { priority: 'low' });
    const bytes = await response.arrayBuffer();
    if (!response.ok) return undefined;
    return path.endsWith('.js') ? new TextDecoder().decode(bytes) : '';
  } catch {
    return undefined;
  }
}
