/** A small decoder on a GPU, as a page has it after each reload: what it computed is lost with its worker, the disk is not. */
import { loadTextModel } from '../../../../src/engines/transformers/text/load-text-model.js';
import { type GenerationRequest, plainGenerationRequest } from '../../../../src/core/request/generation-request.js';
import { collectEvents, logprobsOf, piecesOf } from '../../../support/token-events.js';
import { gpuDecoder } from './gpu-decoder.js';

/** What to ask, one after the other. */
export interface KeptOrder {
  dtype: 'fp32' | 'q4';
  requests: (Pick<GenerationRequest, 'sampling' | 'cachePrompt' | 'maxTokens'> & { ids: number[] })[];
  /** Bytes of kept prompts; absent: none is kept. */
  promptCache?: number;
}

/** Per request. */
export interface KeptAnswer {
  device: string;
  cached: number;
  tokens: (number | undefined)[];
  /** Of the chosen tokens and the three most likely ones. */
  logprobs: number[];
}

/** From a server that is none. */
function serve(folder: string, files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>): void {
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(new URL(input, location.href));
    if (!url.startsWith(folder)) return fetch(input, init);
    const bytes = files.get(url.slice(folder.length));
    if (!bytes) return new Response(null, { status: 404 });
    return new Response(init?.method === 'HEAD' ? null : bytes, {
      headers: { 'content-length': String(bytes.length), etag: '"made"' },
    });
  };
}

async function answer({ dtype, requests, promptCache }: KeptOrder): Promise<KeptAnswer[]> {
  const source = new URL(`/made-models/kept-${dtype}/`, location.href).href;
  serve(source, gpuDecoder(dtype));
  const { signal } = new AbortController();
  const model = await loadTextModel(
    { id: 'small', task: 'chat', backend: 'transformers', source, device: 'webgpu', dtype },
    {
      onProgress: () => {},
      signal,
      assetsURL: new URL('/inpage/', location.href).href,
      pageURL: location.href,
      ...(promptCache !== undefined && { promptCache }),
    },
  );
  const answers: KeptAnswer[] = [];
  for (const { ids, ...more } of requests) {
    const request = { ...plainGenerationRequest('small', { type: 'tokens', ids }), topLogprobs: 3, ...more };
    const events = await collectEvents(model.generate(request, signal));
    const [first] = events;
    answers.push({
      device: model.info.device,
      cached: first?.type === 'prompt' ? first.cachedTokens : -1,
      tokens: piecesOf(events).map(({ token }) => token),
      logprobs: logprobsOf(events).flatMap(({ logprob, top }) => [logprob, ...top.map((each) => each.logprob)]),
    });
  }
  return answers;
}

globalThis.addEventListener('message', ({ data }: MessageEvent<KeptOrder>) => {
  answer(data).then(
    (answers) => globalThis.postMessage({ answers }),
    (error: unknown) => globalThis.postMessage({ error: String(error) }),
  );
});
