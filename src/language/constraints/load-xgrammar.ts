/** Loads the grammar engine (1 MB with its wasm) when the first request needs a grammar. @module */
import xgrammarUrl from '@mlc-ai/web-xgrammar/lib/index.js?url&no-inline';
import { InferenceError } from '../../core/errors/inference-error.js';
import { assetURL } from '../../core/platform/asset-url.js';

type Api = typeof import('@mlc-ai/web-xgrammar');

/** One running copy of the engine with its memory. */
export interface XgrammarModule {
  readonly api: Api;
  /** Every memory that came up while the engine started; one of them is the engine's. */
  readonly memories: readonly WebAssembly.Memory[];
}

let loading: Promise<XgrammarModule> | undefined;
let generation = 0;

/** The running copy. Throws InferenceError `unavailable` when it cannot be loaded. */
export function loadXgrammar(): Promise<XgrammarModule> {
  loading ??= start().catch((cause: unknown) => {
    loading = undefined;
    throw new InferenceError('unavailable', 'The grammar engine could not be loaded.', {}, { cause });
  });
  return loading;
}

/** Forgets a copy that aborted: its state is not to be trusted. The next request loads a fresh one. */
export function dropXgrammar(module: XgrammarModule): void {
  const dropped = loading;
  void dropped?.then(
    (current) => {
      if (current === module && loading === dropped) loading = undefined;
    },
    () => undefined,
  );
}

/**
 * The published file is a UMD script in a package of ES modules. Imported, it exports nothing and sets a global, and
 * bundlers treat it differently. So it is not bundled but imported from its own address. With another query it is evaluated
 * again: the only way to get rid of an aborted wasm.
 */
async function start(): Promise<XgrammarModule> {
  generation += 1;
  const url = assetURL(xgrammarUrl, import.meta.url);
  if (generation > 1) url.searchParams.set('copy', String(generation));
  const scope = globalThis as { xgrammar?: Api };
  const before = scope.xgrammar;
  await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ url.href);
  const api = scope.xgrammar;
  if (api === undefined || api === before) throw new Error('The script set no global.');
  delete scope.xgrammar;
  return { api, memories: await findMemories(api) };
}

/** The engine hands out masks number by number only; reading them from its memory is 100 times faster. */
async function findMemories(api: Api): Promise<WebAssembly.Memory[]> {
  const memories: WebAssembly.Memory[] = [];
  const { instantiate } = WebAssembly;
  const watching = async (...parameters: Parameters<typeof instantiate>): Promise<unknown> => {
    const result: unknown = await instantiate(...parameters);
    const instance =
      result instanceof WebAssembly.Instance ? result : (result as { instance: WebAssembly.Instance }).instance;
    for (const exported of Object.values(instance.exports)) {
      if (exported instanceof WebAssembly.Memory) memories.push(exported);
    }
    return result;
  };
  WebAssembly.instantiate = watching as typeof instantiate;
  try {
    const info = await api.TokenizerInfo.createTokenizerInfo(['a'], 'raw', false, 1, [0]);
    info.dispose();
  } finally {
    WebAssembly.instantiate = instantiate;
  }
  return memories;
}
