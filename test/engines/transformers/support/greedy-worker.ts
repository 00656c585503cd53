/** tiny-chat on one build of ONNX Runtime: a realm loads only one, so each has a worker of its own. */
import { loadTextModel } from '../../../../src/engines/transformers/text/load-text-model.js';
import { plainGenerationRequest } from '../../../../src/core/request/generation-request.js';
import { collectEvents, logprobsOf, piecesOf } from '../../../support/token-events.js';

/** What to ask, and where the files of ONNX Runtime are (absolute, ending with `/`). */
export interface GreedyOrder {
  assetsURL: string;
  texts: string[];
}

/** Per text. */
export interface GreedyAnswer {
  ids: number[];
  logprobs: number[];
}

async function answer({ assetsURL, texts }: GreedyOrder): Promise<GreedyAnswer[]> {
  const { signal } = new AbortController();
  const model = await loadTextModel(
    {
      id: 'tiny-chat',
      task: 'chat',
      backend: 'transformers',
      source: '/models/tiny-chat',
      device: 'wasm',
      dtype: 'q8',
    },
    { onProgress: () => {}, signal, assetsURL, pageURL: location.href },
  );
  const answers: GreedyAnswer[] = [];
  for (const text of texts) {
    const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }];
    const request = plainGenerationRequest('tiny-chat', { type: 'chat', messages });
    const events = await collectEvents(model.generate({ ...request, maxTokens: 40, topLogprobs: 0 }, signal));
    answers.push({
      ids: piecesOf(events).map((piece) => piece.token ?? -1),
      logprobs: logprobsOf(events).map(({ logprob }) => logprob),
    });
  }
  await model.unload();
  return answers;
}

globalThis.addEventListener('message', ({ data }: MessageEvent<GreedyOrder>) => {
  answer(data).then(
    (answers) => globalThis.postMessage({ answers }),
    (error: unknown) => globalThis.postMessage({ error: String(error) }),
  );
});
