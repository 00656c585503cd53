/** The files of models, as far as the app's own server has them. @module */
import { folderURLOf, ggufFileURLOf } from '../../core/models/entry-files.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import { dtypeFor, dtypeOf, graphFile } from '../../engines/transformers/repository/choose-dtype.js';
import { graphsOf } from '../../engines/transformers/repository/repository-files.js';
import { PACK_MANIFEST } from '../../store/sources/pack-manifest.js';
import { type Check, type CheckResult, ok, problem } from './finding.js';
import { requestFile } from './served-file.js';

/**
 * Configuration, tokenizer and graphs of the models that this page's own entries name, and GGUF files with their adapters. Hubs are
 * not asked.
 */
export const modelFiles: Check = async ({ models }) => {
  const local = models.flatMap((entry) => {
    if (entry.backend === 'transformers') return filesOfModel(entry);
    return entry.backend === 'gguf' ? filesOfGguf(entry) : [];
  });
  if (local.length === 0) return ok('no model of this page has its own files');
  return (await Promise.all(local)).flat();
};

/** The four bytes that a GGUF file begins with. */
const GGUF = 'GGUF';

async function filesOfGguf(entry: ModelEntry): Promise<CheckResult[]> {
  const { id, source = id, file, loras = [] } = entry;
  const wanted = [
    { source, file, what: '' },
    ...loras.map((lora) => ({ file: undefined, ...lora, what: ' of an adapter' })),
  ];
  const found = await Promise.all(wanted.map((each) => ggufFile(id, each)));
  const faults = found.filter(({ level }) => level !== 'ok');
  return faults.length > 0 ? faults : [found[0]!];
}

async function ggufFile(
  id: string,
  { source, file, what }: { source: string; file: string | undefined; what: string },
): Promise<CheckResult> {
  const own = ggufFileURLOf({ id, backend: 'gguf', source, ...(file !== undefined && { file }) }, document.baseURI);
  const folder = own ? new URL('.', own).href : folderURLOf(source, document.baseURI);
  if (folder === undefined) return ok(`\`${id}\` comes from the hub (${source}), which this check does not contact`);
  const fix = `\`${id}\` has the \`source\`${what} ${source}: check it, and that the file is deployed.`;
  if (!own && (file === undefined || file.includes('*')))
    return problem(
      `the \`source\`${what} ${source} is a folder, of which nothing lists the files`,
      `Say the name of its file in \`file\` of \`${id}\`.`,
    );
  const url = own?.href ?? folder + file!;
  const { response, fault } = await requestFile({ url, name: 'the file', fix });
  // A packed one may be in parts.
  if (fault) return (await isPacked(folder)) ? ok(`\`${id}\` is served below ${new URL(folder).pathname}`) : fault;
  const { pathname } = new URL(url);
  if ((await readBeginning(response)) !== GGUF) return problem(`the file ${pathname} is not a GGUF file`, fix);
  return ok(`\`${id}\` is served at ${pathname}`);
}

/** As many characters as {@link GGUF} has; the rest of the body is left. */
async function readBeginning({ body }: Response): Promise<string> {
  const reader = body!.getReader();
  let text = '';
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    text += String.fromCharCode(...piece.value.subarray(0, GGUF.length));
    if (text.length >= GGUF.length) break;
  }
  await reader.cancel();
  return text.slice(0, GGUF.length);
}

async function filesOfModel(entry: ModelEntry): Promise<CheckResult[]> {
  const source = entry.source ?? entry.id;
  const folder = folderURLOf(source, document.baseURI);
  if (folder === undefined)
    return [ok(`\`${entry.id}\` comes from the hub (${source}), which this check does not contact`)];
  const fix = `\`${entry.id}\` has the \`source\` ${source}: check it, and that the folder is deployed.`;
  const { response, fault } = await requestFile({ url: `${folder}config.json`, name: 'the file', fix });
  if (fault) return [fault];
  const config: unknown = await response.json().catch(() => undefined);
  const { pathname } = new URL(folder);
  if (typeof config !== 'object' || config === null) {
    return [problem(`the file ${pathname}config.json is not JSON`, fix)];
  }
  const dtype = dtypeFor(entry, 'wasm');
  const weights = graphsOf(entry.task, config as Record<string, unknown>).flatMap((graph) => {
    const said = dtypeOf(dtype, graph);
    return said === undefined ? [] : [graphFile(graph, said)];
  });
  const faultsOf = async (files: string[]): Promise<CheckResult[]> => {
    const outcomes = files.map(async (file) => {
      const served = await requestFile({ url: folder + file, name: 'the file', fix });
      await served.response?.body?.cancel();
      return served.fault ?? [];
    });
    return (await Promise.all(outcomes)).flat();
  };
  const [others, missing] = await Promise.all([faultsOf(['tokenizer.json']), faultsOf(weights)]);
  const faults = missing.length > 0 && (await isPacked(folder)) ? others : [...others, ...missing];
  return faults.length > 0 ? faults : [ok(`\`${entry.id}\` is served below ${pathname}`)];
}

/**
 * The weights of a packed folder may be in parts, which its list names. Asked for only when weights are missing: browsers
 * print an error about each file that is not there.
 */
async function isPacked(folder: string): Promise<boolean> {
  const list = await fetch(folder + PACK_MANIFEST, { cache: 'no-store' }).catch(() => undefined);
  await list?.body?.cancel();
  return list?.ok === true && !list.headers.get('content-type')?.includes('text/html');
}
