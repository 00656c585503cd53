/** `inpage pack`. @module */
import { relative, resolve } from 'node:path';
import { isInferenceError } from '../../core/errors/inference-error.js';
import { DEVICES, type ModelEntry, TASKS } from '../../core/models/model-entry.js';
import { DTYPES } from '../../core/models/dtype.js';
import { type Command, type CommandValues, UsageError } from './command.js';
import { print, printError } from './print.js';
import { importPlaywright } from './import-playwright.js';
import type { NamedModel } from './pack/pack-model.js';
import type { CachedPromptPack } from './pack/add-cached-prompt.js';
import { megabytes, ProgressBar } from './progress-bar.js';
import { readJsonFile, readTextFile } from './read-json-file.js';

/** As hosts and hubs count them. `MiB` is the larger one. */
const UNITS: Record<string, number> = { '': 1, K: 1e3, M: 1e6, G: 1e9, KI: 2 ** 10, MI: 2 ** 20, GI: 2 ** 30 };
/** Smaller files would only be many. */
const MIN_PART_BYTES = 1e6;

/** Fetches a model into a folder of the app, and prints the entry to paste. */
export const pack: Command = {
  summary: 'Downloads the files of a model into a folder that your app serves, and checks their hashes.',
  usage: ['pack <model> <folder> [options]'],
  options: {
    device: {
      type: 'string',
      value: 'NAME',
      help: 'Pack for one device only: wasm or webgpu. Default: every device that the entry allows',
    },
    dtype: {
      type: 'string',
      value: 'NAME',
      help: 'Precision of the weights, e.g. q4f16. Default: q8 on WASM, q4 on WebGPU',
    },
    task: {
      type: 'string',
      value: 'NAME',
      help: "chat, embeddings, rerank, speech-to-text or text-to-speech. Default: the task in the model's config",
    },
    file: {
      type: 'string',
      value: 'NAME',
      help: "The .gguf file of a repository, e.g. '*Q4_K_M.gguf'. Default: the best known precision",
    },
    revision: { type: 'string', value: 'NAME', help: 'Branch, tag or commit on the hub. Default: main' },
    hub: { type: 'string', value: 'URL', help: 'Another hub. Default: https://huggingface.co/' },
    'cache-prompt': {
      type: 'string',
      value: 'FILE',
      help: 'Process a prompt now and ship the result with the model. FILE is a system prompt, or messages as .json. q8 on WASM only. Needs `playwright`',
    },
    chromium: {
      type: 'string',
      value: 'PATH',
      help: "The browser's executable for --cache-prompt. Default: Playwright's own",
    },
    'part-size': {
      type: 'string',
      value: 'SIZE',
      help: 'Split files that are larger than this, for hosts with a size limit, e.g. 24MB',
    },
  },
  examples: [
    'npx inpage pack onnx-community/Qwen2.5-0.5B-Instruct public/models/qwen',
    'npx inpage pack onnx-community/Qwen2.5-0.5B-Instruct packed/qwen --device wasm --part-size 24MB',
    "npx inpage pack Qwen/Qwen2.5-0.5B-Instruct-GGUF public/models/qwen --file '*q4_k_m.gguf'",
    'npx inpage pack https://example.com/model.gguf packed/model --part-size 24MB',
    'npx inpage pack Llama-3.2-1B-Instruct-q4f32_1-MLC packed/llama',
    'npx inpage pack ./my-onnx-model packed/mine',
    'npx inpage pack entry.json packed/mine',
    'npx inpage pack HuggingFaceTB/SmolLM2-135M-Instruct packed/smol --device wasm --cache-prompt system.txt',
  ],
  async run([model, folder, ...more], values) {
    if (model === undefined || folder === undefined || more.length > 0) {
      throw new UsageError(
        '`inpage pack` requires a model (hub id, folder, WebLLM model or entry) and a folder, e.g. `npx inpage pack owner/name public/models/name`.',
      );
    }
    const changes = readChanges(values);
    const partBytes = parseSize(values['part-size']);
    const prompt = typeof values['cache-prompt'] === 'string' ? readPrompt(values['cache-prompt']) : undefined;
    const hubURL = parseHub(values['hub']);
    // The other commands need not read the list of models.
    const [{ readEntry }, { packModel }] = await Promise.all([
      import('./read-entry.js'),
      import('./pack/pack-model.js'),
    ]);
    const bar = new ProgressBar(process.stderr);
    const packed = await packModel(
      { ...readEntry(model), ...changes },
      {
        folder: resolve(folder),
        hubURL,
        partBytes,
        onTotal: (total) => bar.expect(total),
        onProgress: (progress) => bar.show(progress),
      },
    )
      .catch((thrown: unknown) => {
        throw explainPackError(thrown);
      })
      .finally(() => bar.end());
    const cached = prompt && (await cachePrompt(resolve(folder), packed.entry, prompt, values['chromium']));
    const [bytes, files] = [packed.bytes + (cached?.bytes ?? 0), packed.files + (cached?.files ?? 0)];
    const entry = { ...packed.entry, ...(cached && { integrity: cached.integrity }) };
    const size = `${megabytes(bytes)} MB`;
    printError(`inpage: packed ${files} files, ${size}, into ${folder}\n${adviceFor(folder, entry)}`);
    print(`${JSON.stringify(entry, null, 2)}\n`);
  },
};

/** Messages whose beginning is kept: those of the file, or its text as the system's. @throws Error that names the file */
function readPrompt(file: string): object[] {
  if (!file.endsWith('.json')) {
    const content = readTextFile(file);
    return [
      { role: 'system', content },
      { role: 'user', content: 'Hi' },
    ];
  }
  const messages = readJsonFile(file);
  if (Array.isArray(messages)) return messages as object[];
  throw new Error(`${file}: must be a list of messages.`);
}

async function cachePrompt(
  folder: string,
  entry: ModelEntry,
  prompt: readonly object[],
  chromium: CommandValues[string],
): Promise<CachedPromptPack> {
  const { addCachedPrompt } = await importPlaywright(
    'pack --cache-prompt',
    () => import('./pack/add-cached-prompt.js'),
  );
  printError('inpage: reading the prompt in a browser\n');
  return addCachedPrompt(folder, entry, prompt, typeof chromium === 'string' ? chromium : undefined);
}

/** Where the entry's `source` comes from. */
function adviceFor(folder: string, { source }: ModelEntry): string {
  const path = relative('.', resolve(folder)).replaceAll('\\', '/');
  return `inpage: serve the folder as ${source}, or name it to the Vite plugin: inpage({ packed: ['${path}'] })\ninpage: the entry for \`models\`:\n`;
}

function readChanges({ revision, task, device, dtype, file }: CommandValues): Partial<NamedModel> {
  return {
    ...(typeof revision === 'string' && { revision }),
    ...(task !== undefined && { task: oneOf('task', TASKS, task) }),
    ...(device !== undefined && { device: oneOf('device', DEVICES, device) }),
    ...(dtype !== undefined && { dtype: oneOf('dtype', DTYPES, dtype) }),
    ...(typeof file === 'string' && { file, backend: 'gguf' }),
  };
}

function oneOf<Name extends string>(flag: string, names: readonly Name[], value: CommandValues[string]): Name {
  const found = names.find((name) => name === value);
  if (found === undefined) {
    throw new UsageError(`\`--${flag}\` must be one of ${names.join(', ')}, not \`${String(value)}\`.`);
  }
  return found;
}

function parseHub(value: CommandValues[string]): string | undefined {
  if (value === undefined) return undefined;
  const isURL = typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value);
  if (!isURL) throw new UsageError(`\`--hub\` must be a URL, not \`${String(value)}\`.`);
  return value;
}

/** `24MB`, `24M`, `24MiB` or bytes. */
function parseSize(value: CommandValues[string]): number | undefined {
  if (value === undefined) return undefined;
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s*((?:[KMG]I?)?)B?$/.exec(String(value).toUpperCase()) ?? [];
  const bytes = Math.floor(Number(number) * UNITS[unit]!);
  if (!(bytes >= MIN_PART_BYTES)) {
    throw new UsageError(`\`--part-size\` must be a size of 1MB or more, such as 24MB, not \`${String(value)}\`.`);
  }
  return bytes;
}

/** What Node says when a server cannot be reached. */
const REASONS: Record<string, string> = {
  ENOTFOUND: 'its host name is unknown. Is this machine online, or does it need a proxy (`HTTPS_PROXY`)?',
  EAI_AGAIN: 'its host name cannot be looked up. Is this machine online?',
  ENETUNREACH: 'there is no network.',
  EHOSTUNREACH: 'there is no route to it.',
  ECONNREFUSED: 'it refused the connection. Is `--hub` right, and is the server running?',
  ECONNRESET: 'it closed the connection.',
  ETIMEDOUT: 'it did not answer in time.',
  UND_ERR_CONNECT_TIMEOUT: 'it did not answer in time.',
};

/** The error with the file's URL and what the server answered, or why it could not be reached. */
export function explainPackError(thrown: unknown): unknown {
  if (!isInferenceError(thrown) || thrown.details.url === undefined) return thrown;
  const { url, httpStatus } = thrown.details;
  const status = httpStatus === undefined ? '' : `, status ${httpStatus}`;
  const reason = httpStatus === undefined ? reasonIn(thrown) : undefined;
  const { host } = new URL(url);
  const why = reason === undefined ? '' : ` ${host} could not be reached: ${reason}`;
  return new Error(`${thrown.message} (${url}${status})${why}`, { cause: thrown });
}

/** The first reason in the chain of causes. */
function reasonIn(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, errors } = cause as { code?: unknown; errors?: unknown[] };
    if (typeof code === 'string' && Object.hasOwn(REASONS, code)) return REASONS[code];
    const inner = errors?.map(reasonIn).find((reason) => reason !== undefined);
    if (inner !== undefined) return inner;
    if (typeof code === 'string' && /^(CERT_|ERR_TLS|SELF_SIGNED|UNABLE_TO_)/.test(code)) {
      return `its certificate is not accepted (${code}).`;
    }
  }
  return undefined;
}
