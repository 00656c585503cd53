/** The time to the first token about an image: our engine, or transformers.js's processor and `generate`. */
import { env } from '@huggingface/transformers';
import { loadTextModel } from '../../src/engines/transformers/text/load-text-model.js';
import type { TextModel } from '../../src/language/decoding/create-text-model.js';
import type { Message } from '../../src/core/request/message.js';
import { plainGenerationRequest } from '../../src/core/request/generation-request.js';
import { BareModel } from '../vision/bare-model.js';
import { drawPicture, imagePart } from '../vision/pictures.js';

/** What to measure. */
export interface VisionOrder {
  kind: 'ours' | 'bare';
  origin: string;
  /** Makes the picture a new one. */
  round: number;
  /** The second question about the picture is measured, else the first. */
  second: boolean;
}

const SIZE = [640, 480] as const;
const [QUESTION, ANSWER, NEXT] = ['What is in this picture?', 'A few shapes.', 'Which colours do they have?'] as const;
const { signal } = new AbortController();

let ours: Promise<TextModel> | undefined;
let bare: Promise<BareModel> | undefined;

function loadOurs(origin: string): Promise<TextModel> {
  return loadTextModel(
    {
      id: 'seeing',
      task: 'chat',
      backend: 'transformers',
      source: `${origin}/vision/smolvlm/`,
      device: 'wasm',
      dtype: 'fp32',
    },
    { onProgress: () => {}, signal, assetsURL: `${origin}/inpage/`, pageURL: `${origin}/` },
  );
}

/** transformers.js as it comes, but for where its files are. */
function loadBare(origin: string): Promise<BareModel> {
  const file = `${origin}/ort/ort-wasm-simd-threaded.asyncify`;
  Object.assign(env.backends.onnx.wasm ?? {}, { wasmPaths: { mjs: `${file}.mjs`, wasm: `${file}.wasm` } });
  Object.assign(env, { allowLocalModels: true, allowRemoteModels: false, localModelPath: '/' });
  return BareModel.load('smolvlm', '/vision/smolvlm', 'wasm');
}

/** Milliseconds, and the first token. */
async function measure({ kind, origin, round, second }: VisionOrder): Promise<{ time: number; token: number }> {
  const picture = await drawPicture(round, SIZE, 'image/jpeg');
  if (kind === 'bare') {
    const model = await (bare ??= loadBare(origin));
    const text = (words: string) => [{ type: 'text' as const, text: words }];
    const messages = [
      { role: 'user' as const, content: [{ type: 'image' as const }, ...text(QUESTION)] },
      ...(second
        ? [
            { role: 'assistant' as const, content: text(ANSWER) },
            { role: 'user' as const, content: text(NEXT) },
          ]
        : []),
    ];
    const start = performance.now();
    const { ids } = await model.answer(messages, [picture], { tokens: 1 });
    return { time: performance.now() - start, token: ids[0]! };
  }
  const model = await (ours ??= loadOurs(origin));
  const part = await imagePart(picture);
  const text = (words: string) => ({ type: 'text' as const, text: words });
  const first: Message[] = [{ role: 'user', content: [part, text(QUESTION)] }];
  if (!second) return firstToken(model, first);
  await firstToken(model, first);
  return firstToken(model, [
    ...first,
    { role: 'assistant', content: [text(ANSWER)], toolCalls: [] },
    { role: 'user', content: [text(NEXT)] },
  ]);
}

async function firstToken(model: TextModel, messages: Message[]): Promise<{ time: number; token: number }> {
  const request = { ...plainGenerationRequest('seeing', { type: 'chat', messages }), maxTokens: 1 };
  const start = performance.now();
  let token = -1;
  for await (const events of model.generate(request, signal)) {
    for (const event of events) if (event.type === 'piece') token = event.token ?? -1;
  }
  return { time: performance.now() - start, token };
}

globalThis.addEventListener('message', ({ data }: MessageEvent<VisionOrder>) => {
  measure(data).then(
    (result) => globalThis.postMessage(result),
    (error: unknown) => globalThis.postMessage({ error: String(error) }),
  );
});
