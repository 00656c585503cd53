/** After one visit the page works without a network: `public/sw.js` keeps what passes, this sees to it that all passes. */
import { DEFAULT_MODELS } from 'inpage';

/** Where `startInference` registers it too; a second registration of the same is none. */
const SERVICE_WORKER = '/sw.js?prefix=%2Fv1';

/** Milliseconds that a first visit waits for the Service Worker before it starts without. */
const PATIENCE = 5_000;

/** What the bundled models are made of. */
const TOKENIZER = ['config.json', 'tokenizer.json', 'tokenizer_config.json'];
const MODEL_FILES: Record<string, string[]> = {
  'tiny-chat': [...TOKENIZER, 'generation_config.json', 'onnx/model_quantized.onnx'],
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
  const { active } = await container.register(SERVICE_WORKER);
  // A page that was reloaded past its worker gets no controller by itself.
  if (!active) await Promise.race([controlled, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
}

/** Fetches what this visit loaded before the worker was there, and what it has not needed yet. */
export async function keepOfflineCopy(): Promise<void> {
  if (!navigator.serviceWorker?.controller) return;
  const loaded = performance.getEntriesByType('resource').map(({ name }) => new URL(name));
  const own = loaded.filter(({ origin, pathname }) => origin === location.origin && pathname.startsWith('/assets/'));
  const models = DEFAULT_MODELS.flatMap(({ id, source }) => (MODEL_FILES[id] ?? []).map((file) => `${source}/${file}`));
  for (const path of [location.pathname, ...new Set(own.map(({ pathname }) => pathname)), ...models]) {
    // One after another: what the visitor does now goes first. What fails now is fetched when it is needed.
    await fetch(path, { priority: 'low' }).then(
      (response) => response.arrayBuffer(),
      () => undefined,
    );
  }
}
