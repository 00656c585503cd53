/** Page open to first token with transformers.js alone, in the page: milliseconds since navigation, in `window.bench`. */
import { TextStreamer, env, pipeline } from '@huggingface/transformers';

env.allowRemoteModels = false;
env.allowLocalModels = true;
env.localModelPath = '/models/';
const wasm = env.backends.onnx.wasm;
if (wasm) wasm.wasmPaths = '/ort/';
const generate = await pipeline('text-generation', 'tiny-chat', { dtype: 'q8', device: 'wasm' });
let first = 0;
const streamer = new TextStreamer(generate.tokenizer, {
  skip_prompt: true,
  callback_function: () => (first ||= performance.now()),
});
await generate([{ role: 'user', content: 'Hello!' }], { max_new_tokens: 4, streamer });
(window as unknown as { bench: number }).bench = first;
