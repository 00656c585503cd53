/** The engine in a worker of a page, for `speed-page.ts`. */
import { type EngineLoop, openLoop } from '../llama-cpp/engine-loop.js';

/** What to do. The first order is `load`. */
export type SpeedOrder =
  | { kind: 'load'; url: string; threads: number }
  | { kind: 'read'; prompt: readonly number[] }
  | { kind: 'write'; count: number };

/** Seconds by the clock. */
export interface SpeedAnswer {
  seconds: number;
}

let loop: EngineLoop | undefined;

async function answer(order: SpeedOrder): Promise<SpeedAnswer> {
  const start = performance.now();
  if (order.kind === 'load') {
    const response = await fetch(order.url);
    loop = await openLoop(new Uint8Array(await response.arrayBuffer()), { threads: order.threads });
  } else if (order.kind === 'read') loop!.read(order.prompt);
  else loop!.write(order.count);
  return { seconds: (performance.now() - start) / 1000 };
}

globalThis.addEventListener('message', ({ data }: MessageEvent<SpeedOrder>) => {
  answer(data).then(
    (result) => globalThis.postMessage(result),
    (error: unknown) => globalThis.postMessage({ error: error instanceof Error ? error.stack : String(error) }),
  );
});
