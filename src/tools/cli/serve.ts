/** `inpage serve`. @module */
import { randomBytes } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import type { InferenceServer, ServeOptions } from '../../serve/serve-inference.js';
import { isInferenceError } from '../../core/errors/inference-error.js';
import { DEFAULT_MODELS } from '../../core/models/default-catalog.js';
import { storeResponsesIn, STORING } from '../../core/models/inference-options.js';
import { originOf } from '../../serve/http/cors.js';
import { withDiskSources } from '../../serve/models/disk-sources.js';
import { shellQuoted } from './shell-quoted.js';
import { type Command, type CommandValues, UsageError } from './command.js';
import { fasterNode } from './faster-node.js';
import { print, printError } from './print.js';
import { readWords } from './read-words.js';
import { closeOnSignal, readCompatibility, readPort, readConfig } from './server-arguments.js';
import { watchLoads } from './watch-loads.js';

const DEFAULT_PORT = 8080;

/** Serves until the process is told to end. */
export const serve: Command = {
  summary:
    'Serves /v1 over HTTP to Node, curl and other programs. MODEL is a .gguf file, or a repository of the hub: owner/name, owner/name:Q4_K_M. Ends when the program that started it ends.',
  usage: [
    'serve [MODEL …] [--port N] [--host ADDRESS] [--config FILE] [--compatibility NAME] [--store-responses VALUE] [--key] [--allow-origin ORIGIN]… [--log]',
  ],
  options: {
    port: {
      type: 'string',
      value: 'N',
      help: `TCP port; 0: any free one. Default: ${DEFAULT_PORT}`,
    },
    host: {
      type: 'string',
      value: 'ADDRESS',
      help: '127.0.0.1: programs of this machine only. 0.0.0.0 or :: : other machines too, which requires `--key` or `apiKeys`. Nothing is encrypted. Default: 127.0.0.1',
    },
    config: {
      type: 'string',
      value: 'FILE',
      help: 'JSON with options of `startInference`: models, prefix, apiKeys, …',
    },
    compatibility: {
      type: 'string',
      value: 'NAME',
      help: 'service, or hosted for programs that were written for hosted services, such as coding agents.',
    },
    'store-responses': {
      type: 'string',
      value: 'VALUE',
      help: `What /responses answers is stored until the server ends: ${STORING}. Default: true with \`--compatibility hosted\`, else false.`,
    },
    key: { type: 'boolean', help: 'Require an API key, which is generated and printed.' },
    'allow-origin': {
      type: 'string',
      value: 'ORIGIN',
      multiple: true,
      help: 'Let web pages of this origin ask, e.g. app://obsidian.md or http://localhost:3000. Requires `--key` or `apiKeys`.',
    },
    log: { type: 'boolean', help: 'Print a line for each request, without bodies and keys.' },
  },
  examples: [
    'npx inpage serve',
    'npx inpage serve ./model.gguf',
    'npx inpage serve Qwen/Qwen2.5-0.5B-Instruct-GGUF:Q4_K_M',
    'npx inpage serve --compatibility hosted',
    'npx inpage serve --store-responses memory',
    'npx inpage serve --port 3000 --config inpage.json --key',
    'npx inpage serve --host 0.0.0.0 --key',
    'npx inpage serve --key --allow-origin app://obsidian.md',
    `curl http://localhost:${DEFAULT_PORT}/v1/models`,
  ],
  async run(words, values) {
    const apiKey = values['key'] ? `sk-inpage-${randomBytes(24).toString('base64url')}` : undefined;
    const server = await startServer(words, values, closeOnSignal, apiKey === undefined ? {} : { apiKeys: [apiKey] });
    if (apiKey !== undefined) print(clientLines(server.baseURL, apiKey));
  },
};

/**
 * Serves as the flags say, and prints where.
 * @param words models: files and repositories
 * @param attend ends the server when the process is told to; called before the address is printed, because who reads that may
 * end the process at once
 * @param more options that no flag and no file can say
 * @throws UsageError, or Error that says what to do
 */
export async function startServer(
  words: readonly string[],
  values: CommandValues,
  attend: (server: InferenceServer) => void,
  more: ServeOptions,
): Promise<InferenceServer> {
  const { port, host, config, compatibility: name, 'store-responses': stored, log } = values;
  const compatibility = readCompatibility(name);
  const asked = readPort(port);
  const address = readHost(host);
  const storeResponses = stored === undefined ? undefined : readStorage(String(stored));
  const allowOrigins = readOrigins(values['allow-origin']);
  const configured: ServeOptions =
    typeof config === 'string' ? withDiskSources(readConfig(config), dirname(resolve(config))) : {};
  const { checkServeOptions, serveInference } = await import('../../serve/serve-inference.js');
  try {
    checkServeOptions(configured);
  } catch (thrown) {
    throw readRefusal(thrown, { config });
  }
  const onProgress = watchLoads();
  const named = await readWords(words, { hub: configured.hub, onProgress });
  const options: ServeOptions = {
    ...configured,
    ...more,
    ...(named.length > 0 && { models: [...named, ...(configured.models ?? [])] }),
    ...(compatibility !== undefined && { compatibility }),
    ...(storeResponses !== undefined && { storeResponses }),
    ...(allowOrigins.length > 0 && { allowOrigins: [...allowOrigins, ...(configured.allowOrigins ?? [])] }),
    ...(log === true && { log }),
    port: asked ?? configured.port ?? DEFAULT_PORT,
    ...(address !== undefined && { host: address }),
    onProgress,
  };
  const server = await serveInference(options).catch((thrown: unknown) => {
    throw readRefusal(thrown, values);
  });
  attend(server);
  const models = options.models ?? DEFAULT_MODELS;
  print(`inpage: serving ${server.baseURL} with ${namesOf(models)}\n`);
  if ((options.host ?? LOCAL) !== LOCAL) print(OPEN_WARNING);
  if ((options.apiKeys ?? []).length === 0) print(howToAsk(server.baseURL, models));
  if ((compatibility ?? configured.compatibility) !== 'hosted') print(HOSTED_HINT);
  const faster = fasterNode(process.versions.node);
  // The bundled model is so small that it does not matter.
  if (faster !== undefined && options.models?.some((model) => typeof model !== 'string' && model.backend === 'gguf'))
    printError(`inpage: ${faster}\n`);
  return server;
}

/** What is told of options that are refused, in the words of whoever typed them. */
function readRefusal(thrown: unknown, { host, config, 'allow-origin': origins }: CommandValues): unknown {
  if (!isInferenceError(thrown)) return thrown;
  const { param = '', message } = thrown;
  if (host !== undefined && param === 'apiKeys')
    return new UsageError(
      `\`--host ${String(host)}\` requires a key: add \`--key\`, or \`apiKeys\` to the file of \`--config\`.`,
    );
  if (origins !== undefined && param === 'allowOrigins')
    return new UsageError(
      '`--allow-origin` requires a key: add `--key`, or `apiKeys` to the file of `--config`. Otherwise every page of that origin could use this machine.',
    );
  const told = typeof config === 'string' ? `${config}: ${message}` : message;
  return param.startsWith('allowOrigins') ? new UsageError(told) : new Error(told);
}

/** Ids that are named. */
const MAX_NAMES = 10;

function namesOf(models: NonNullable<ServeOptions['models']>): string {
  const ids = models.map((model) => (typeof model === 'string' ? model : model.id));
  const more = ids.length > MAX_NAMES ? ` and ${ids.length - MAX_NAMES} more` : '';
  return ids.length === 0 ? 'no models' : ids.slice(0, MAX_NAMES).join(', ') + more;
}

/** A line to copy. */
function howToAsk(baseURL: string, models: NonNullable<ServeOptions['models']>): string {
  const chat = models.find((model) => typeof model !== 'string' && model.task === 'chat');
  if (typeof chat !== 'object') return '';
  const body = JSON.stringify({ model: chat.id, messages: [{ role: 'user', content: 'Hi' }] });
  return `inpage: ask it, e.g. curl ${baseURL}/chat/completions -d ${shellQuoted(body)}\n`;
}

const LOCAL = '127.0.0.1';

const OPEN_WARNING =
  'inpage: WARNING: other machines can reach this port. Requests, answers and keys are not encrypted, and whoever has a key can use every model. Use it in a network that you trust, or behind a proxy with TLS\n';

/** Which programs break on what the mode `service` answers by its specification. */
const HOSTED_HINT =
  "inpage: add `--compatibility hosted` if you use coding agents, LangChain, the AI SDK or `parse()` of OpenAI's clients.\n";

function readHost(host: CommandValues[string]): ServeOptions['host'] {
  if (host === undefined || host === '127.0.0.1' || host === '0.0.0.0' || host === '::') return host;
  throw new UsageError(`\`--host\` must be 127.0.0.1, 0.0.0.0 or ::, not \`${String(host)}\`.`);
}

/** @throws UsageError */
function readOrigins(values: CommandValues[string]): readonly string[] {
  const origins = Array.isArray(values) ? (values as readonly string[]) : [];
  const wrong = origins.find((each) => originOf(each) === undefined);
  if (wrong === undefined) return origins;
  throw new UsageError(
    `\`--allow-origin\` must be an origin such as \`app://obsidian.md\` or \`http://localhost:3000\`, without a path, not \`${wrong}\`.`,
  );
}

function readStorage(text: string): NonNullable<ServeOptions['storeResponses']> {
  const value = storeResponsesIn(text);
  if (value !== undefined) return value;
  throw new UsageError(`\`--store-responses\` must be ${STORING}, not \`${text}\`.`);
}

/** How clients are told of the service, to copy. */
function clientLines(baseURL: string, apiKey: string): string {
  return `
  const openai = new OpenAI({ baseURL: '${baseURL}', apiKey: '${apiKey}' });
  const anthropic = new Anthropic({ baseURL: '${baseURL.replace(/\/v1$/, '')}', apiKey: '${apiKey}' });

`;
}
