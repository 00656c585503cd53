/** Sources that can be seen to be wrong before anything is asked for. @module */
import { hasFiles } from './entry-files.js';
import type { ModelEntry } from './model-entry.js';

/** A page of the hub: its model, and what stands behind it. */
const HUB_PAGE = /^(?:https?:\/\/)?(?:www\.)?huggingface\.co\/([\w.-]+\/[\w.-]+)\/?(?:$|[?#]|(tree|blob)\/)/;

/** `llama3.2:1b` and `localhost:8080` look like URLs with a scheme of their own. */
const NO_SCHEME = /^(?!data:|blob:)[a-z][\w+.-]*:(?!\/\/)/i;

/** A host without its scheme, such as `api.openai.com/v1`. */
const BARE_HOST = /^[a-z\d-]+(\.[a-z\d-]+)+(\/|$)/i;

/** What clients put behind a base URL. */
export const ENDPOINT_PATH = /\/(chat\/completions|completions|messages|responses|embeddings|models|rerank)\/?$/;

const BASE_URL = 'the base URL of the remote service, e.g. `https://api.openai.com/v1`';
const FOLDER_OR_ID = 'the URL of a folder, or a hub id such as `owner/name`';

/** What `source` must be instead, as the end of a sentence; undefined: nothing is known to be wrong. */
export function problemOfSource(entry: ModelEntry): string | undefined {
  const { backend, id, source } = entry;
  if (backend === 'upstream') return problemOfBase(entry);
  if (backend !== 'gguf' && backend !== 'transformers') return hasFiles(entry) ? undefined : FOLDER_OR_ID;
  const place = source ?? id;
  const [, model, page] = HUB_PAGE.exec(place) ?? [];
  if (model !== undefined) {
    return page === 'blob'
      ? `the file itself: \`${place.replace('/blob/', '/resolve/')}\` instead of its page on the hub`
      : `the hub id \`${model}\` instead of the address of its page`;
  }
  if (NO_SCHEME.test(place) || !hasFiles(entry)) return FOLDER_OR_ID;
  if (backend === 'transformers' && /\.gguf(?:[?#]|$)/i.test(place))
    return `a folder or a hub id, because .gguf files need \`backend: 'gguf'\``;
  return undefined;
}

function problemOfBase(entry: ModelEntry): string | undefined {
  const { source = '' } = entry;
  if (!hasFiles(entry) || NO_SCHEME.test(source)) return BASE_URL;
  if (BARE_HOST.test(source)) return `an absolute URL, e.g. \`https://${source}\``;
  const path = ENDPOINT_PATH.exec(source)?.[0];
  return path === undefined ? undefined : `${BASE_URL}, without \`${path}\``;
}
