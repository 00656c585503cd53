/** Models that cannot be loaded, or not as their entries say, on a page that runs. */
import type { InferenceOptions } from '../../../src/index.js';
import { countingModel } from '../support/host-page.js';
import {
  ask,
  call,
  ELSEWHERE,
  far,
  gguf,
  load,
  lost,
  type Mistake,
  onnx,
  TINY_CHAT,
  TINY_EMBED,
  unfetched,
} from './make-mistake.js';

/** A catalog with a mistake in each entry but the first. */
export const OPTIONS: InferenceOptions = {
  hub: ELSEWHERE,
  promptCache: '64MB',
  models: [
    countingModel(3, 0, 'count'),
    onnx('blocked', { source: 'owner/blocked' }),
    gguf('blocked-gguf', { source: 'owner/blocked' }),
    gguf('blocked-file', { source: 'owner/blocked', file: 'a.gguf' }),
    onnx('limited', { source: 'owner/limited' }),
    gguf('limited-gguf', { source: 'owner/limited' }),
    onnx('waiting', { source: 'owner/limited-too' }),
    onnx('private', { source: 'owner/private' }),
    gguf('private-gguf', { source: 'owner/private' }),
    onnx('unknown', { source: 'owner/unknown' }),
    gguf('unknown-gguf', { source: 'owner/unknown' }),
    gguf('original', { source: 'owner/original' }),
    onnx('ownerless', { source: 'SmolLM2-135M' }),
    gguf('ownerless-gguf', { source: 'SmolLM2-GGUF' }),
    gguf('ownerless-file', { source: 'SmolLM2-GGUF', file: 'a.gguf' }),
    onnx('page', { source: '/spa/model' }),
    gguf('page-gguf', { source: '/spa/a.gguf' }),
    onnx('picked', { source: '/picked/model' }),
    gguf('picked-gguf', { source: '/picked/a.gguf' }),
    gguf('pointer', { source: '/lfs/a.gguf' }),
    gguf('q4-gguf', { source: TINY_CHAT, dtype: 'q4' }),
    onnx('q4', { ...TINY_EMBED, dtype: 'q4' }),
    gguf('long-gguf', { source: TINY_CHAT, contextLength: 100_000 }),
    onnx('long', { ...TINY_EMBED, contextLength: 100_000 }),
    onnx('gpu', { ...TINY_EMBED, device: 'webgpu' }),
    { id: 'compiled', task: 'chat', backend: 'web-llm', source: 'Llama-3.2-1B' },
    { id: 'assistant', task: 'chat', backend: 'built-in' },
    far('far', `${ELSEWHERE}/far/v1`),
    far('refused', `${ELSEWHERE}/wrong-key/v1`),
  ],
};

const LIMITED = 'This server limits how often files may be requested. Try again later.';
const HIDDEN = 'Check the hub id. If the model is private or gated, host a copy of its files yourself.';
const AGAIN = '127.0.0.1:1 answered 429 (it limits how often files may be requested).';
const SHORTER = 'Lower `contextLength` in its entry, or leave it out.';
const config = (of: string): string => `${ELSEWHERE}/owner/${of}/resolve/main/config.json`;
const list = (of: string): string => `${ELSEWHERE}/api/models/owner/${of}/tree/main?recursive=true`;

/** What `status()` says of `waiting`. */
export const WAITING = `${AGAIN} ${config('limited-too')} is requested again in 2 s.`;

export const MODELS: readonly Mistake[] = [
  ['of a hub out of reach', lost('blocked', unfetched(config('blocked'))), load('blocked')],
  ['of a hub out of reach, GGUF', lost('blocked-gguf', unfetched(list('blocked'))), load('blocked-gguf')],
  [
    'of a hub out of reach, by `file`',
    lost('blocked-file', unfetched(`${ELSEWHERE}/owner/blocked/resolve/main/a.gguf`)),
    load('blocked-file'),
  ],
  [
    'of a hub that limits requests',
    lost('limited', `${config('limited')} returned status 429. ${LIMITED}`),
    load('limited'),
  ],
  [
    'of a hub that limits requests, GGUF',
    lost('limited-gguf', `${list('limited')} returned status 429. ${LIMITED}`),
    load('limited-gguf'),
  ],
  ['that is private', lost('private', `${config('private')} returned status 401. ${HIDDEN}`), load('private')],
  [
    'that is private, GGUF',
    lost('private-gguf', `${list('private')} returned status 401. ${HIDDEN}`),
    load('private-gguf'),
  ],
  [
    'that the hub does not have',
    lost('unknown', `${config('unknown')} returned status 404. Check \`source\`.`),
    load('unknown'),
  ],
  [
    'that the hub does not have, GGUF',
    lost('unknown-gguf', `${list('unknown')} returned status 404. Check \`source\`.`),
    load('unknown-gguf'),
  ],
  [
    'whose repository has no GGUF',
    'The model `original` cannot be loaded: `owner/original` has no GGUF files on the hub. Repositories with such files often end in `-GGUF`.',
    load('original'),
  ],
  [
    'without its owner',
    lost(
      'ownerless',
      '/SmolLM2-135M/config.json returned status 404. Check `source`: `SmolLM2-135M` names a folder next to the page, and a hub model is `owner/SmolLM2-135M`.',
    ),
    load('ownerless'),
  ],
  [
    'without its owner, GGUF',
    'The model `ownerless-gguf` cannot be loaded: it needs `file`, because its source has no list of files. Check `source`: `SmolLM2-GGUF` names a folder next to the page, and a hub model is `owner/SmolLM2-GGUF`.',
    load('ownerless-gguf'),
  ],
  [
    'without its owner, by `file`',
    lost(
      'ownerless-file',
      '/SmolLM2-GGUF/a.gguf returned status 404. Check `source`: `SmolLM2-GGUF` names a folder next to the page, and a hub model is `owner/SmolLM2-GGUF`.',
    ),
    load('ownerless-file'),
  ],
  [
    'for which the server sends its page',
    lost(
      'page',
      '/spa/model/config.json returned an HTML page instead of a model file, so the file is probably missing on the server. Check `source`.',
    ),
    load('page'),
  ],
  [
    'for which the server sends its page, GGUF',
    lost(
      'page-gguf',
      '/spa/a.gguf returned an HTML page instead of a model file, so the file is probably missing on the server. Check `source`.',
    ),
    load('page-gguf'),
  ],
  [
    'that is a pointer of Git LFS',
    'The file `a.gguf` is not a GGUF file. It may be a web page or a Git LFS pointer that was saved in its place. Check where it comes from.',
    load('pointer'),
  ],
  [
    'in a precision that its file does not have, GGUF',
    'The `dtype` of the model `q4-gguf` must be `auto` or `fp32`, because a GGUF file has one precision. Choose another `file` for another precision.',
    load('q4-gguf'),
  ],
  [
    'in a precision that it does not have',
    lost(
      'q4',
      '/models/tiny-embed/onnx/model_q4.onnx returned status 404. Check `source` and whether it has files of dtype `q4`.',
    ),
    load('q4'),
  ],
  [
    'on a GPU that is not there',
    'The model `gpu` needs WebGPU, which this browser or device does not offer. Leave `device` out, and it runs on WASM.',
    load('gpu'),
  ],
  [
    'that WebLLM calls otherwise',
    "`Llama-3.2-1B` is not in WebLLM's list. Did you mean `Llama-3.2-1B-Instruct-q4f32_1-MLC` or `Llama-3.2-1B-Instruct-q4f16_1-MLC` or `Llama-3.2-1B-Instruct-q0f32-MLC`? `listWebLlmModels()` has all of its names; another model needs `source` and `modelLibrary`.",
    load('compiled'),
  ],
  [
    'of a browser that has none',
    'This browser does not offer a built-in model to pages (`LanguageModel`). Set `fallback` in its entry to the id of another model, which then answers.',
    load('assistant'),
  ],
  [
    'that is downloaded without its files',
    lost(
      'page',
      '/spa/model/config.json returned an HTML page instead of a model file, so the file is probably missing on the server. Check `source`.',
    ),
    call(() => window.inference!.download('page')),
  ],
];

/** Told in the console. */
export const WARNED_MODELS: readonly Mistake[] = [
  [
    'of a hub that limits requests, while it waits',
    `${AGAIN} ${config('limited')} is requested again in 2 s.`,
    load('limited'),
  ],
  [
    'of a hub that limits requests, while it waits, GGUF',
    `${AGAIN} ${list('limited')} is requested again in 2 s.`,
    load('limited-gguf'),
  ],
  [
    'with a longer context than it has',
    `the model \`long\`: \`contextLength\` is 100000, but the model accepts at most 256 tokens, so 256 is used. ${SHORTER}`,
    load('long'),
  ],
  [
    'with a longer context than it has, GGUF',
    `the model \`long-gguf\`: \`contextLength\` is 100000, but the model accepts at most 2048 tokens, so 2048 is used. ${SHORTER}`,
    load('long-gguf'),
  ],
  [
    'of a service out of reach',
    `\`far\` failed. The upstream service could not be reached at ${ELSEWHERE}. It must be running, allow this page (CORS, header access-control-allow-origin), and be allowed by the \`connect-src\` of this page. (\`source\`: ${ELSEWHERE}/far/v1)`,
    ask('far'),
  ],
  [
    'of a service that refuses the key',
    `\`refused\` failed. The upstream service failed (401): Incorrect API key provided. (\`source\`: ${ELSEWHERE}/wrong-key/v1)`,
    ask('refused'),
  ],
];
