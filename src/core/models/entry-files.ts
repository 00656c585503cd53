/** Where a model's files are: on the hub, or in a folder. @module */

/** The part of an entry that says where its files are. */
interface Located {
  id: string;
  backend: string;
  source?: string;
  file?: string;
  loras?: readonly { source: string; file?: string }[];
  modelLibrary?: string;
}

/** A hub id: owner and name. Every other source is a folder. */
const HUB_ID = /^[\w-][\w.-]*\/[\w.-]+$/;

/** Whether a `source` names a repository of the Hugging Face Hub. */
export function isHubId(source: string): boolean {
  return HUB_ID.test(source);
}

/**
 * The folder that a `source` names: absolute, ends with `/`. Undefined for a hub id.
 * @param pageURL absolute
 * @throws TypeError when it is not a URL
 */
export function folderURLOf(source: string, pageURL: string): string | undefined {
  return isHubId(source) ? undefined : new URL(source.endsWith('/') ? source : `${source}/`, pageURL).href;
}

/**
 * The URL of a GGUF file that a `source` names by itself; undefined when it names a folder or a hub id.
 * @param pageURL absolute
 * @throws TypeError when it is not a URL
 */
export function ggufFileURLOf({ id, backend, source = id, file }: Located, pageURL: string): URL | undefined {
  const isFile = backend === 'gguf' && file === undefined && /\.gguf(?:[?#]|$)/i.test(source);
  return isFile ? new URL(source, pageURL) : undefined;
}

/**
 * The base of a remote `/v1`: absolute, without a slash at its end.
 * @param pageURL absolute
 * @throws TypeError when it is not a URL
 */
export function upstreamURLOf(source: string | undefined, pageURL: string): string {
  if (!source) throw new TypeError('An upstream model needs a `source`.');
  return new URL(source, pageURL).href.replace(/\/+$/, '');
}

/**
 * Absolute URLs (and hub ids) of all that an entry names. A relative source means other files on a page in another folder.
 * @param pageURL absolute
 * @throws TypeError when one is not a URL
 */
export function listEntryFiles(entry: Located, pageURL: string): string[] {
  const { backend, id, source, file, modelLibrary } = entry;
  if (backend === 'upstream') return [upstreamURLOf(source, pageURL)];
  if (backend === 'built-in') return [];
  const location = source ?? id;
  const folder = (): string => folderURLOf(location, pageURL) ?? location;
  if (backend === 'transformers') return [folder()];
  if (backend === 'gguf') {
    const loras = (entry.loras ?? []).flatMap((lora) => listEntryFiles({ id, backend, ...lora }, pageURL));
    return [ggufFileURLOf(entry, pageURL)?.href ?? folder() + (file ?? ''), ...loras];
  }
  // Without a library the model is one of WebLLM's own list.
  return modelLibrary === undefined ? [] : [folder(), new URL(modelLibrary, pageURL).href];
}

/** Any page: what can be resolved against one can be against all. */
const SOME_PAGE = 'https://app.invalid/';

/** Whether an entry says where its files are. */
export function hasFiles(entry: Located): boolean {
  try {
    listEntryFiles(entry, SOME_PAGE);
    return true;
  } catch {
    return false;
  }
}
