/** Checks the options of `startInference` and fills in the defaults. A page fetches this apart from its first kilobytes. @module */
import { checkBundledFiles } from '../core/models/bundled-files.js';
import { checkFileOptions } from '../core/models/check-file-options.js';
import { checkFallbacks, checkScripts, warnOfIdleFields } from '../core/models/check-models.js';
import { listEntryFiles } from '../core/models/entry-files.js';
import {
  INFERENCE_OPTIONS,
  type InferenceOptions,
  type OptionsByRealm,
  optionsByRealm,
} from '../core/models/inference-options.js';
import type { ModelEntry } from '../core/models/model-entry.js';
import { parseOptions, wrongOption } from '../core/models/option-schema.js';
import { type Bases, matchBase } from '../relay/match-base.js';
import { APP_BASE } from '../core/models/app-base.js';
import type { PageLocation } from '../core/errors/page-location.js';

export { pageLocation } from '../core/errors/page-location.js';
export { differentOptions, optionTexts, serviceGroup } from './service-group.js';

/**
 * The options with nothing left open, for each realm. The Service Worker's URL is absolute.
 * @throws InferenceError `invalid_request`, whose `param` is the option
 */
export function resolveOptions(options: InferenceOptions, { origin, pageURL, hasDisk }: PageLocation): OptionsByRealm {
  const checked = parseOptions(INFERENCE_OPTIONS, options);
  const { models, prefix, intercept, serviceWorker } = checked;
  checkBundledFiles(models);
  if (!hasDisk) refuseDisk(models);
  refuseWrongFallbacks(models);
  checkFallbacks(models);
  checkFileOptions(checked.files, models);
  warnOfIdleFields(models);
  refuseLoops(models, { origin, prefix, intercept }, pageURL);
  for (const [name, value] of Object.entries(options))
    if (name !== 'onProgress' && name !== 'routes') refuseProxies(value, name);
  checkScripts(models);
  return optionsByRealm({
    ...checked,
    models: models.map(inPack),
    serviceWorker: serviceWorker === false ? false : new URL(serviceWorker, pageURL).href,
  });
}

/** Vectors of two models cannot be compared, and sound that was spoken halfway is spoken. */
function refuseWrongFallbacks(models: readonly ModelEntry[]): void {
  for (const [index, { backend, task, fallback }] of models.entries()) {
    if (fallback === undefined || (backend !== 'built-in' && backend !== 'upstream')) continue;
    const refuse = (why: string): never => {
      throw wrongOption(`models.${index}.fallback`, `left out, because ${why}`);
    };
    if (task === 'embeddings') refuse('vectors of two models cannot be compared');
    if (task !== 'chat' && task !== 'rerank') refuse('only chat and ranking models of a remote service have one');
  }
}

/** A page cannot read the disk: a browser would say no more than that a file could not be fetched. */
function refuseDisk(models: readonly ModelEntry[]): void {
  const isOnDisk = (source: string | undefined): boolean => source !== undefined && /^file:/i.test(source);
  for (const [index, { source, loras = [] }] of models.entries()) {
    const lora = loras.findIndex((each) => isOnDisk(each.source));
    if (!isOnDisk(source) && lora === -1) continue;
    throw wrongOption(
      `models.${index}.${isOnDisk(source) ? '' : `loras.${lora}.`}source`,
      'a URL that the page can fetch, or a hub id: a page cannot read `file:` URLs. `npx inpage serve` can',
    );
  }
}

/** A model behind a base that is answered here would ask itself. */
function refuseLoops(models: readonly ModelEntry[], bases: Bases, pageURL: string): void {
  const isOwn = (url: string): boolean => matchBase(new URL(url), bases) !== undefined;
  for (const [index, entry] of models.entries()) {
    if (entry.backend === 'upstream' && listEntryFiles(entry, pageURL).some(isOwn))
      throw wrongOption(
        `models.${index}.source`,
        'a service outside of `prefix` and `intercept`, because this page answers those itself',
      );
  }
}

/** The engine gets a copy, because it runs in another realm. */
function refuseProxies(value: unknown, option: string): void {
  try {
    structuredClone(value);
  } catch {
    throw wrongOption(option, 'plain data, without functions and without the proxies of reactive frameworks');
  }
}

/** The Vite plugin serves packed folders under names with a hash. */
function inPack(entry: ModelEntry): ModelEntry {
  if (entry.backend === 'upstream') return entry;
  const { source, modelLibrary, loras } = entry;
  return {
    ...entry,
    ...(source !== undefined && { source: packedURL(source) }),
    ...(modelLibrary !== undefined && { modelLibrary: packedURL(modelLibrary) }),
    ...(loras && { loras: loras.map((lora) => ({ ...lora, source: packedURL(lora.source) })) }),
  };
}

/** Set by the Vite plugin: URLs with a hash, by the path that entries name; absent with other bundlers. */
declare const INPAGE_PACKED: Readonly<Record<string, string>> | undefined;

const PACKED = typeof INPAGE_PACKED === 'object' ? INPAGE_PACKED : {};

/** A URL in a packed folder, below the name with its hash; any other as it is. */
function packedURL(url: string): string {
  const path = `/${(url.startsWith(APP_BASE) ? url.slice(APP_BASE.length) : url).replace(/^\.?\//, '')}`;
  const folder = Object.keys(PACKED).find((name) => `${path}/`.startsWith(`${name}/`));
  return folder === undefined ? url : PACKED[folder]! + path.slice(folder.length);
}
