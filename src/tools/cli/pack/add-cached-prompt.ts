/** Has a packed model read a prompt in a browser, and puts what it computed beside the model. @module */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { ModelEntry, TypedModelEntry } from '../../../core/models/model-entry.js';
import { PART_BYTES } from '../../../store/storage/byte-storage.js';
import { toIntegrity } from '../../../store/storage/digest.js';
import { BLOCK_HEADER_BYTES } from '../../../store/prompts/prompt-block-store.js';
import {
  filesOfPacked,
  isPackedPrompt,
  PACK_MANIFEST,
  type PackManifest,
  PACKED_PROMPTS,
  parseManifest,
} from '../../../store/sources/pack-manifest.js';
import { launchChromium } from '../../../serve/launch-chromium.js';
import { createLimitedServer } from '../../../serve/limited-server.js';
import {
  HOST_PAGE,
  hostHtml,
  type HostWindow,
  listHostFiles,
  openHostPage,
} from '../../../serve/static-files/host-files.js';
import { mediaTypeOf, sendFile } from '../../../serve/static-files/static-files.js';

/** Where the page finds the pack, and where it brings blocks. */
const PACK = '/packed/';
const BLOCKS = '/blocks/';

/** More than any prompt takes. */
const MAX_BYTES = 2 ** 40;

/** A pack with a cached prompt. */
export interface CachedPromptPack {
  /** Of its manifest, which names the prompt's files too. */
  integrity: string;
  /** Of the prompt. */
  files: number;
  bytes: number;
}

/**
 * Reads a prompt with a packed chat model on WASM: an ONNX model in 8 bits with one thread, as on a page that is not isolated, or a
 * GGUF file.
 * @param prompt messages
 * @throws Error for a model whose prompts cannot be cached, or when there is no browser; InferenceError when the prompt cannot be
 * stored (fewer than 64 tokens)
 */
export async function addCachedPrompt(
  folder: string,
  entry: ModelEntry,
  prompt: readonly object[],
  chromium?: string,
): Promise<CachedPromptPack> {
  checkEntry(entry);
  const manifest = parseManifest(readFileSync(join(folder, PACK_MANIFEST), 'utf8'));
  const blocks = new Map<string, Uint8Array>();
  const files = new Map(listHostFiles());
  for (const [name, file] of [[PACK_MANIFEST, undefined], ...Object.entries(manifest.files)] as const)
    for (const part of file ? filesOfPacked(name, file).keys() : [name]) files.set(PACK + part, join(folder, part));
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const file = files.get(pathname);
    if (pathname === HOST_PAGE) response.writeHead(200, { 'content-type': mediaTypeOf(HOST_PAGE) }).end(hostHtml());
    else if (request.method === 'PUT' && pathname.startsWith(BLOCKS)) {
      blocks.set(pathname.slice(BLOCKS.length), new Uint8Array(await buffer(request)).subarray(BLOCK_HEADER_BYTES));
      response.writeHead(204).end();
    } else if (file === undefined) response.writeHead(404).end('Not Found');
    else await sendFile(file, request, response);
  };
  const server = createLimitedServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { browser } = await launchChromium(chromium === undefined ? {} : { executablePath: chromium });
    try {
      const page = await browser.newPage();
      const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
      await openHostPage(page, origin, {
        // What `checkEntry` has let through.
        models: [{ ...entry, source: PACK.slice(0, -1), device: 'wasm' } as TypedModelEntry],
        promptCache: MAX_BYTES,
        serviceWorker: false,
      });
      await page.evaluate(cachePromptInPage, { model: entry.id, prompt, location: BLOCKS });
    } finally {
      await browser.close();
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return addBlocks(folder, manifest, blocks);
}

/** @throws Error that names what does not fit */
function checkEntry({ id, task, backend, device, dtype }: ModelEntry): void {
  if (backend === 'gguf' && task === 'chat') return;
  const precision = typeof dtype === 'object' && 'wasm' in dtype ? dtype['wasm'] : dtype;
  if (backend !== 'transformers' || task !== 'chat')
    throw new Error(`\`--cache-prompt\` needs a chat model of transformers.js or a GGUF file, and \`${id}\` is none.`);
  if (device === 'webgpu' || precision !== 'q8')
    throw new Error(`\`--cache-prompt\` needs the precision q8 on WASM, which \`${id}\` is not packed for.`);
}

/** Runs in the page: reads the prompt, and brings what is stored of it. */
async function cachePromptInPage(given: { model: string; prompt: readonly object[]; location: string }): Promise<void> {
  await (window as unknown as HostWindow).inference.cachePrompt(given.model, given.prompt);
  const root = await navigator.storage.getDirectory();
  for await (const folder of (await root.getDirectoryHandle('inpage-prompts')).values()) {
    if (folder.kind !== 'directory') continue;
    for await (const [name, file] of folder.entries()) {
      if (file.kind !== 'file' || !/^[\da-f]{40}-/.test(name)) continue;
      const sent = await fetch(given.location + name, { method: 'PUT', body: await file.getFile() });
      if (!sent.ok) throw new Error('A block of the prompt was not accepted.');
    }
  }
}

/** Writes the blocks and a manifest that names them. */
function addBlocks(folder: string, manifest: PackManifest, blocks: ReadonlyMap<string, Uint8Array>): CachedPromptPack {
  const files = { ...manifest.files };
  let total = 0;
  for (const [block, bytes] of [...blocks].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const name = PACKED_PROMPTS + block;
    if (!isPackedPrompt(name)) throw new Error('The page brought a file that is not a block.');
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
    const parts: string[] = [];
    for (let at = 0; at < bytes.length; at += PART_BYTES) parts.push(hashContent(bytes.subarray(at, at + PART_BYTES)));
    files[name] = { bytes: bytes.length, sha256: hashContent(bytes), partBytes: PART_BYTES, parts };
    total += bytes.length;
  }
  const text = `${JSON.stringify({ ...manifest, files }, null, 1)}\n`;
  writeFileSync(join(folder, PACK_MANIFEST), text);
  return { integrity: toIntegrity(hashContent(text)), files: blocks.size, bytes: total };
}

function hashContent(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
