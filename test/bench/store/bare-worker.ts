/** transformers.js as it comes, with its own cache; only where its files are is set. */
import { AutoModelForCausalLM, AutoTokenizer, env, type PreTrainedModel } from '@huggingface/transformers';

/** What to load. */
export interface BareOrder {
  origin: string;
  hub: string;
  model: string;
}

/** Held, as an app holds it. */
let loaded: PreTrainedModel | undefined;

async function load({ origin, hub, model }: BareOrder): Promise<object> {
  const file = `${origin}/ort/ort-wasm-simd-threaded.asyncify`;
  Object.assign(env.backends.onnx.wasm ?? {}, { wasmPaths: { mjs: `${file}.mjs`, wasm: `${file}.wasm` } });
  Object.assign(env, { allowLocalModels: false, remoteHost: hub });
  const options = { device: 'wasm', dtype: 'q8' } as const;
  [loaded] = await Promise.all([
    AutoModelForCausalLM.from_pretrained(model, options),
    AutoTokenizer.from_pretrained(model),
  ]);
  return { sessions: Object.keys(loaded.sessions) };
}

globalThis.addEventListener('message', ({ data }: MessageEvent<BareOrder>) => {
  load(data).then(
    (result) => globalThis.postMessage(result),
    (error: unknown) => globalThis.postMessage({ error: error instanceof Error ? error.stack : String(error) }),
  );
});
