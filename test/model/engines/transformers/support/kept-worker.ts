/** tiny-chat on a software GPU, as a page has it after each reload: what it computed is lost with its worker, the disk is not. */
import { loadTextModel } from '../../../../../src/model/engines/transformers/text/load-text-model.js';
import { type GenerationRequest, plainGenerationRequest } from '../../../../../src/core/request/generation-request.js';
import { collectEvents, logprobsOf, piecesOf } from '../../../../support/token-events.js';

/** What to ask, one after the other. */
export interface KeptOrder {
  requests: Pick<GenerationRequest, 'prompt' | 'sampling' | 'keepPrompt' | 'maxTokens'>[];
  /** Bytes of kept prompts; absent: none is kept. */
  persistPrefixes?: number;
}

/** Per request. */
export interface KeptAnswer {
  device: string;
  cached: number;
  tokens: (number | undefined)[];
  /** Of the chosen tokens and the three most likely ones. */
  logprobs: number[];
}

async function answer({ requests, persistPrefixes }: KeptOrder): Promise<KeptAnswer[]> {
  const { signal } = new AbortController();
  const model = await loadTextModel(
    {
      id: 'tiny-chat',
      task: 'chat',
      backend: 'transformers',
      source: '/models/tiny-chat',
      device: 'webgpu',
      dtype: 'q8',
    },
    {
      onProgress: () => {},
      signal,
      assetsURL: new URL('/inpage/', location.href).href,
      pageURL: location.href,
      ...(persistPrefixes !== undefined && { persistPrefixes }),
    },
  );
  const answers: KeptAnswer[] = [];
  for (const { prompt, ...more } of requests) {
    const request = { ...plainGenerationRequest('tiny-chat', prompt), topLogprobs: 3, ...more };
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
