/** Made models in a browser's page, from a server that is none. A realm loads one build of ONNX Runtime. */
import { vi } from 'vitest';
import type { LoadOptions } from '../../../../src/core/models/backend.js';
import type { ModelEntry } from '../../../../src/core/models/model-entry.js';
import { loadEmbeddingModel } from '../../../../src/engines/transformers/embeddings/load-embedding-model.js';
import { loadRankingModel } from '../../../../src/engines/transformers/ranking/load-ranking-model.js';
import { loadTextModel } from '../../../../src/engines/transformers/text/load-text-model.js';
import { CLASS_CASES, DISTINCT_CASES } from './decoder-forms.js';
import { describeDecoders, type TablePart } from './describe-decoders.js';
import { describeTextEncoders } from './describe-text-encoders.js';
import type { RepositoryFiles } from './made-model.js';
import type { Picture } from './pictures.js';

type Device = 'wasm' | 'webgpu';

const OPTIONS: LoadOptions = {
  onProgress: () => {},
  signal: new AbortController().signal,
  assetsURL: new URL('/inpage/', location.href).href,
  pageURL: location.href,
};

const { fetch } = globalThis;

/** From now on there are these files and no other made ones. */
function serve<Task extends ModelEntry['task']>(device: Device, task: Task, name: string, files: RepositoryFiles) {
  const source = `${location.origin}/made-models/${device}/${task}/${name}/`;
  vi.stubGlobal('fetch', async (url: string | URL, init: RequestInit = {}) => {
    if (!String(url).startsWith(source)) return fetch(url, init);
    const bytes = files.get(String(url).slice(source.length));
    if (!bytes) return new Response(null, { status: 404 });
    const headers = { 'content-length': String(bytes.length) };
    return new Response(init.method === 'HEAD' ? null : bytes, { headers });
  });
  return { id: name, task, backend: 'transformers', source, device, dtype: 'fp32' } as const;
}

/** Chat models. @param share see {@link describeDecoders} */
export function describeInPage(device: Device, share?: TablePart): void {
  const load = async (name: string, files: RepositoryFiles) =>
    loadTextModel(serve(device, 'chat', name, files), OPTIONS);
  // A GPU in software takes long for each token.
  const realm =
    device === 'wasm' ? { classes: DISTINCT_CASES, count: 4 } : { classes: CLASS_CASES, count: 2, halfFloats };
  describeDecoders({ load, draw: drawGrey, ...realm }, share);
}

/** Embedding and ranking models. @param share see {@link describeTextEncoders} */
export function describeEncodersInPage(device: Device, share?: TablePart): void {
  describeTextEncoders(
    async (task, name, files) =>
      (task === 'rerank' ? loadRankingModel : loadEmbeddingModel)(serve(device, task, name, files), OPTIONS),
    share,
  );
}

async function halfFloats(): Promise<boolean> {
  return (await navigator.gpu.requestAdapter())?.features.has('shader-f16') ?? false;
}

async function drawGrey({ width, height, grey }: Picture): Promise<Blob> {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d')!;
  context.fillStyle = `rgb(${grey} ${grey} ${grey})`;
  context.fillRect(0, 0, width, height);
  return canvas.convertToBlob({ type: 'image/png' });
}
