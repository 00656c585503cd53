/** Made models in a browser's page, from a server that is none. */
import { vi } from 'vitest';
import { loadTextModel } from '../../../../../src/model/engines/transformers/text/load-text-model.js';
import { CLASS_CASES, DISTINCT_CASES } from './decoder-forms.js';
import { describeDecoders, type Realm, type TablePart } from './describe-decoders.js';
import type { Picture } from './pictures.js';

/** Decoders on one build of ONNX Runtime: a realm loads no other. @param share see {@link describeDecoders} */
export function describeInPage(device: 'wasm' | 'webgpu', share?: TablePart): void {
  const { fetch } = globalThis;
  const load: Realm['load'] = async (name, files) => {
    const folder = `${location.origin}/made-models/${device}/${name}/`;
    vi.stubGlobal('fetch', async (url: string | URL, init: RequestInit = {}) => {
      if (!String(url).startsWith(folder)) return fetch(url, init);
      const bytes = files.get(String(url).slice(folder.length));
      if (!bytes) return new Response(null, { status: 404 });
      const headers = { 'content-length': String(bytes.length) };
      return new Response(init.method === 'HEAD' ? null : bytes, { headers });
    });
    const entry = { id: name, task: 'chat', backend: 'transformers', source: folder, device, dtype: 'fp32' } as const;
    return loadTextModel(entry, {
      onProgress: () => {},
      signal: new AbortController().signal,
      assetsURL: new URL('/inpage/', location.href).href,
      pageURL: location.href,
    });
  };
  // A GPU in software takes long for each token.
  const realm = device === 'wasm' ? { classes: DISTINCT_CASES, count: 4 } : { classes: CLASS_CASES, count: 2 };
  describeDecoders({ load, draw: drawGrey, ...realm }, share);
}

async function drawGrey({ width, height, grey }: Picture): Promise<Blob> {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d')!;
  context.fillStyle = `rgb(${grey} ${grey} ${grey})`;
  context.fillRect(0, 0, width, height);
  return canvas.convertToBlob({ type: 'image/png' });
}
