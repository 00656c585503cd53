/** The Hugging Face Hub, or a server that answers as it does: where its files are and what it states of them. @module */
import { folderURLOf, ggufFileURLOf } from '../../core/models/entry-files.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import { FileNotDownloaded } from '../download/file-errors.js';
import { absenceOf, interruptedBy } from '../download/file-response.js';
import { askServer, withTimeout } from './ask-server.js';
import type { ExpectedFile } from '../storage/byte-storage.js';
import type { StoreEnvironment } from '../storage/store-environment.js';

/** Base of the hub itself; ends with `/`. */
const HUB_URL = 'https://huggingface.co/';

/** A repository at a revision. */
export interface HubModel {
  /** Base of the hub; ends with `/`. */
  hubURL: string;
  /** Owner and name. */
  id: string;
  /** Branch, tag or commit. */
  revision: string;
}

/** What {@link listHubFiles} reads of an entry. */
interface TreeEntry {
  type: string;
  path: string;
  size: number;
  /** Git's name of what is in the repository itself. */
  oid: string;
  /** Of large files, which the repository only points to. */
  lfs?: { oid: string; size: number };
}

/** Folder of a repository's files; ends with `/`. */
export function hubFolderURL({ hubURL, id, revision }: HubModel): string {
  return `${hubURL}${id}/resolve/${encodeURIComponent(revision)}/`;
}

/** Absolute URL of the folder that an entry's files are in, on a hub or elsewhere; ends with `/`. */
export function filesFolderOf(
  entry: Pick<ModelEntry, 'id' | 'backend' | 'source' | 'revision' | 'file'>,
  pageURL: string,
  hubURL: string = HUB_URL,
): string {
  const { id, source = id, revision = 'main' } = entry;
  const file = ggufFileURLOf(entry, pageURL);
  if (file) return new URL('.', file).href;
  return folderURLOf(source, pageURL) ?? hubFolderURL({ hubURL: hubURL.replace(/\/*$/, '/'), id: source, revision });
}

/** The repository whose files a folder holds; undefined for other folders. */
export function parseHubFolder(folder: string): HubModel | undefined {
  const match = /^(https?:\/\/[^/]+\/(?:.+\/)?)([\w-][\w.-]*\/[\w.-]+)\/resolve\/([^/]+)\/$/.exec(folder);
  return match ? { hubURL: match[1]!, id: match[2]!, revision: decodeURIComponent(match[3]!) } : undefined;
}

/**
 * Sizes and hashes of a repository's files. The hub states them in headers too, but only in its redirect to the machine
 * that sends a large file, and no page sees a redirect's headers. That machine's own ETag is another hash.
 * @returns undefined when the server does not say
 */
export async function listHubFiles(
  hub: HubModel,
  environment: StoreEnvironment,
  signal: AbortSignal,
): Promise<Map<string, ExpectedFile> | undefined> {
  const read = (response: Response) => (response.ok ? readTree(response) : undefined);
  return askServer(environment, { url: hubListURL(hub), init: { cache: 'no-store' }, signal, read });
}

/**
 * One attempt to get the same list, for a load that cannot do without it.
 * @throws FileNotDownloaded when the hub has none, Interrupted when another attempt can succeed, or what `fetch` throws
 */
export async function requireHubFiles(
  hub: HubModel,
  environment: StoreEnvironment,
  signal: AbortSignal,
): Promise<Map<string, ExpectedFile>> {
  const url = hubListURL(hub);
  const response = await environment.fetch(url, { cache: 'no-store', signal: withTimeout(signal) });
  const absence = absenceOf(response, url);
  if (response.ok && !absence) return readTree(response);
  throw absence
    ? new FileNotDownloaded('The hub gave no list of files.', { url, ...absence })
    : interruptedBy(response);
}

/** What progress and errors call it. */
export const LIST = 'list of files';

/** URL of the list of a repository's files. */
export function hubListURL({ hubURL, id, revision }: HubModel): string {
  return `${hubURL}api/models/${id}/tree/${encodeURIComponent(revision)}?recursive=true`;
}

async function readTree(response: Response): Promise<Map<string, ExpectedFile>> {
  const entries = (await response.json()) as TreeEntry[];
  return new Map(entries.filter(({ type }) => type === 'file').map((entry) => [entry.path, statementOf(entry)]));
}

function statementOf({ size, oid, lfs }: TreeEntry): ExpectedFile {
  return lfs ? { bytes: lfs.size, sha256: lfs.oid } : { bytes: size, gitBlob: oid };
}
