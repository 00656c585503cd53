/** The file of an entry: which one it is, its head before anything else of it is fetched, then its weights. @module */
import { InferenceError } from '../../core/errors/inference-error.js';
import type { LoadOptions } from '../../core/models/backend.js';
import { ggufFileURLOf, isHubId } from '../../core/models/entry-files.js';
import type { VendorMetadata } from '../../core/models/model-description.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import type { ModelFiles, Purpose } from '../../store/model-files.js';
import { openModelFiles } from '../../store/open-model-files.js';
import { filesFolderOf } from '../../store/sources/hub.js';
import { isPackedPrompt, PACK_MANIFEST } from '../../store/sources/pack-manifest.js';
import type { StoreEnvironment } from '../../store/storage/store-environment.js';
import { checkSource, loadFailure } from '../common/load-failure.js';
import { chooseFile, isGgufName, type ListedFile, wrongFile } from './choose-file.js';
import { cutFile, shown, unsupported } from './file/file-problems.js';
import type { GgufHeader } from './file/header.js';
import { withoutPiece } from './file/split-file.js';
import { type FileKind, type PieceHead, readHeads, weightsOf } from './read-heads.js';

/** A file whose head was read and can run. */
export interface GgufSource<Plan> {
  /** Its name in {@link folder}. */
  file: string;
  /** Names of all pieces of a split file, of which `file` is the first. */
  pieces: readonly string[];
  /** Heads of these. */
  heads: readonly PieceHead[];
  /** URL of its folder; ends with `/`. */
  folder: string;
  files: ModelFiles;
  header: GgufHeader;
  /** What was made of the head. */
  plan: Plan;
  description: VendorMetadata;
  /**
   * Brings the whole file into the store.
   * @param purpose see `ModelFiles`
   * @param together all files that the entry needs of the same folder
   * @throws InferenceError `unavailable`, `insufficient_resources`, `cancelled`
   */
  fetch(purpose?: Purpose, together?: readonly string[]): Promise<void>;
  /** The bytes of the file from `header.dataStart` on, once it was fetched. */
  weights(): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined>;
  /** Of the file that was fetched; undefined when it was changed since. */
  contentHash(): Promise<string | undefined>;
  /** The hash of the entry is that of its folder's manifest. */
  isPacked: boolean;
  /** Names of the files of prompts that the model's pack has. */
  packedPrompts(): Promise<string[]>;
  readPackedPrompt(name: string): Promise<Uint8Array | undefined>;
}

/** Where an entry's file is. */
interface GgufLocation {
  /** URL; ends with `/`. */
  folder: string;
  /** Undefined: to be chosen. */
  file: string | undefined;
  /** Of the file's URL, with its question mark; empty without one. */
  query: string;
}

/** @internal */
function locateGguf(entry: ModelEntry, { pageURL, hub }: Pick<LoadOptions, 'pageURL' | 'hub'>): GgufLocation {
  const url = ggufFileURLOf(entry, pageURL);
  const folder = filesFolderOf(entry, pageURL, hub);
  if (!url) return { folder, file: undefined, query: '' };
  return { folder, file: decodeURIComponent(nameOf(url.pathname)), query: url.search };
}

/** See {@link openGguf}. */
interface OpenGgufOptions {
  /** What files are stored in. @default that of this realm */
  environment?: StoreEnvironment | undefined;
  /** What the file must be. @default 'model' */
  kind?: FileKind;
}

/**
 * Reads the head of an entry's file.
 * @param plan decides whether it can run; throws InferenceError when it cannot. `isStored`: once fetched, it can be read at any place
 * @throws InferenceError `invalid_request` when the entry does not name one file; `unavailable`, and what `plan` throws,
 * before its weights are fetched
 */
export async function openGguf<Plan>(
  entry: ModelEntry,
  given: Pick<LoadOptions, 'pageURL' | 'hub' | 'onProgress' | 'signal' | 'localFiles'>,
  plan: (header: GgufHeader, isStored: boolean) => Plan,
  { environment, kind = 'model' }: OpenGgufOptions = {},
): Promise<GgufSource<Plan>> {
  checkEntry(entry);
  const location = locateGguf(entry, given);
  const options = { ...given, ...asNamed(entry, location, kind, given) };
  const { folder, query } = location;
  const open = (integrity: ModelEntry['integrity'], opened = options): Promise<ModelFiles> =>
    openModelFiles({ id: entry.id, integrity, query }, folder, opened, environment);
  let files = await open(entry.integrity);
  // The one hash is that of the file, where no list of hashes lies beside it.
  const isHashOfFile = typeof entry.integrity === 'string' && !(await hasManifest(location, files, open));
  if (isHashOfFile) files = await open(undefined);
  const file = location.file ?? (await chooseFrom(entry, files, options));
  if (isHashOfFile) files = await open({ [file]: entry.integrity as string });
  const planned = (header: GgufHeader): Plan => {
    checkKind(header, kind);
    return plan(header, files.readsRanges);
  };
  const read = await readHeads(files, file, { kind, plan: planned });
  if (read === undefined) throw await missing(entry, file, files);
  if ('missing' in read) throw absent(entry, read.missing, files);
  const { heads, header, plan: made } = read;
  const pieces = heads.map((head) => head.file);
  if (isHashOfFile && pieces.length > 1) throw oneHash(entry, pieces);
  const isPacked = typeof entry.integrity === 'string' && !isHashOfFile;
  return {
    file,
    pieces,
    heads,
    folder,
    files,
    header,
    plan: made,
    description: describe(header),
    async fetch(purpose = 'store', together = pieces) {
      await files.prepare(together, purpose);
      for (const head of heads) {
        const found = await (purpose === 'load' ? files.findForLoad(head.file) : files.find(head.file));
        if (!found) throw absent(entry, head.file, files);
        if ((found.metadata.size ?? 0) < head.dataEnd) throw cutFile(head.file);
      }
    },
    weights: () => weightsOf(files, heads),
    contentHash: () => files.contentHash(pieces),
    isPacked,
    packedPrompts: async () => (isPacked ? (await files.listed()).filter(isPackedPrompt) : []),
    async readPackedPrompt(name) {
      // The files of a load end with it.
      const lasting = { ...options, onProgress: () => {}, signal: new AbortController().signal };
      return (await (await open(entry.integrity, lasting)).read(name))?.bytes();
    },
  };
}

/** Who picks one GGUF file for an entry of one file means it, whatever the entry calls it. */
function asNamed(
  { loras = [] }: ModelEntry,
  { file: name }: GgufLocation,
  kind: FileKind,
  { localFiles = [] }: Pick<LoadOptions, 'localFiles'>,
): Pick<LoadOptions, 'localFiles'> {
  const [only, ...others] = localFiles.filter(({ path }) => isGgufName(path));
  if (!only || others.length > 0 || name === undefined || kind !== 'model' || loras.length > 0) return {};
  return { localFiles: [{ path: name, file: only.file }] };
}

/** Fields that have other values for other backends. @throws InferenceError by name */
function checkEntry({ id, dtype = 'auto' }: ModelEntry): void {
  if (dtype === 'auto' || dtype === 'fp32') return;
  const message = `The \`dtype\` of the model \`${id}\` must be \`auto\` or \`fp32\`, because a GGUF file has one precision. Choose another \`file\` for another precision.`;
  throw new InferenceError('invalid_request', message, { param: 'dtype', permanent: true });
}

async function hasManifest(
  { file }: GgufLocation,
  files: ModelFiles,
  open: (integrity: undefined) => Promise<ModelFiles>,
): Promise<boolean> {
  if (file !== undefined) return false;
  return (await files.isStored(PACK_MANIFEST)) || (await open(undefined)).exists(PACK_MANIFEST);
}

/** @throws InferenceError `model_not_supported` for a GGUF file that is not of the kind, or not a whole one */
function checkKind({ file, metadata, tensors }: GgufHeader, kind: FileKind): void {
  const refuse = (why: string): never => {
    throw unsupported(file, why);
  };
  const [type, architecture] = ['general.type', 'general.architecture'].map((key) => metadata.get(key));
  // Of an adapter its plan says what is wrong.
  if (kind === 'adapter') return;
  if (type === 'adapter') refuse('it is an adapter, not a model');
  if (type === 'mmproj' || architecture === 'clip') refuse('it is the projector of a vision model, not a model');
  if (typeof type === 'string' && type !== 'model') refuse(`it is of type \`${shown(type)}\`, not a model`);
  if (tensors.length === 0) refuse('it has a vocabulary and no weights');
}

/** The file that the entry means. @throws InferenceError `invalid_request` */
async function chooseFrom(
  entry: ModelEntry,
  files: ModelFiles,
  { localFiles }: Pick<LoadOptions, 'localFiles'>,
): Promise<string> {
  const { id, source = id, file, loras = [] } = entry;
  if (file !== undefined && !file.includes('*')) return file;
  // Those of other folders are in no list of this one; who picks files picks all of them together.
  const beside = loras.filter(({ source: folder }) => localFiles !== undefined || folder === source);
  const adapters = new Set(beside.map((lora) => nameOf(lora.file ?? lora.source)));
  const all = localFiles ? pickedNames(localFiles) : await listNames(files, isHubId(source));
  const listed = all.filter(({ name }) => !adapters.has(name));
  if (listed.length === 0 && isHubId(source)) {
    const why = `\`${source}\` has no GGUF files on the hub. Repositories with such files often end in \`-GGUF\``;
    throw wrongFile(id, why, []);
  }
  if (listed.length === 0) {
    const why = file === undefined ? 'needs `file`' : 'cannot have `*` in `file`';
    throw wrongFile(id, `it ${why}, because its source has no list of files. ${checkSource(source)}`, []);
  }
  return chooseFile(entry, listed);
}

/** The last part of a path. */
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

function pickedNames(localFiles: NonNullable<LoadOptions['localFiles']>): ListedFile[] {
  return localFiles.map(({ path, file }) => ({ name: nameOf(path), bytes: file.size }));
}

/**
 * All files of the source; without a network those that are stored of it.
 * @throws InferenceError `unavailable` when a hub gives no list: a repository always has one
 */
async function listNames(files: ModelFiles, isHub: boolean): Promise<ListedFile[]> {
  const names = await files.listed();
  let models = (names.length > 0 ? names : await files.stored()).filter(isGgufName);
  if (names.length === 0 && models.length === 0 && isHub) models = (await files.listed(true)).filter(isGgufName);
  return Promise.all(models.map(async (name) => ({ name, bytes: (await files.bytesOf([name])) || undefined })));
}

async function missing(entry: ModelEntry, file: string, files: ModelFiles): Promise<InferenceError> {
  const names = (await files.listed()).filter(isGgufName);
  if (names.length > 0) return wrongFile(entry.id, `\`file\` (\`${file}\`) fits no file of its source`, names);
  return absent(entry, file, files);
}

/** `unavailable`: a file that must be there is not. */
function absent(entry: ModelEntry, file: string, files: ModelFiles): InferenceError {
  return loadFailure(new Error('The file is missing.'), entry, new AbortController().signal, files.absence(file));
}

function oneHash({ id }: ModelEntry, pieces: readonly string[]): InferenceError {
  const message = `The \`integrity\` of the model \`${id}\` must have a hash for each piece of its file, by name: ${pieces.map((piece) => `\`${piece}\``).join(', ')}.`;
  return new InferenceError('invalid_request', message, { param: 'integrity', permanent: true });
}

/** What the file says of itself, for lists of models. */
function describe({ file, metadata, tensors }: GgufHeader): VendorMetadata {
  const text = (key: string): string | undefined => {
    const value = metadata.get(`general.${key}`);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const [architecture, license, name] = ['architecture', 'license', 'name'].map(text);
  const precision = /(?:^|[^a-z\d])(I?Q\d\w*|BF16|F16|F32|MXFP4\w*)\.gguf$/i.exec(withoutPiece(file))?.[1];
  const kind = precision?.toUpperCase() ?? mostFrequentKind(tensors);
  return {
    ...(architecture !== undefined && { architecture }),
    ...(license !== undefined && { license }),
    ...(name !== undefined && { overview: kind === undefined ? name : `${name}, ${kind}` }),
  };
}

/** The kind of most weights. @internal */
function mostFrequentKind(tensors: GgufHeader['tensors']): string | undefined {
  const bytes = new Map<string, number>();
  for (const { kind, shape } of tensors)
    bytes.set(kind, (bytes.get(kind) ?? 0) + shape.reduce((product, size) => product * size, 1));
  return [...bytes].toSorted((a, b) => b[1] - a[1])[0]?.[0];
}
