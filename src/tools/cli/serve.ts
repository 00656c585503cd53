/** `inpage serve`. @module */
import { randomBytes } from 'node:crypto';
import type { InferenceServer, ServeOptions } from '../../serve/serve-inference.js';
import { isInferenceError } from '../../core/errors/inference-error.js';
import { DEFAULT_MODELS } from '../../core/models/default-catalog.js';
import { storeResponsesIn, STORING } from '../../core/models/inference-options.js';
import type { ModelEntry } from '../../core/models/model-entry.js';
import { runsInNode } from '../../serve/models/runs-in-node.js';
import { type Command, type CommandValues, UsageError } from './command.js';
import { importPlaywright } from './import-playwright.js';
import { print } from './print.js';
import { closeOnSignal, readCompatibility, readPort, readConfig } from './server-arguments.js';

const DEFAULT_PORT = 8080;

/** Serves until the process is told to end. */
export const serve: Command = {
  summary:
    'Serves /v1 over HTTP to Node, curl and other programs. GGUF, scripted and upstream models need nothing else; others run in a page in headless Chromium, which needs `playwright`. Ends when the program that started it ends.',
  usage: [
    'serve [--port N] [--host ADDRESS] [--config FILE] [--compatibility NAME] [--store-responses VALUE] [--chromium PATH] [--key] [--log]',
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
    chromium: {
      type: 'string',
      value: 'PATH',
      help: "The browser's executable. Default: Playwright's own, else one that is installed.",
    },
    key: { type: 'boolean', help: 'Require an API key, which is generated and printed.' },
    log: { type: 'boolean', help: 'Print a line for each request, without bodies and keys.' },
  },
  examples: [
    'npx inpage serve',
    'npx inpage serve --compatibility hosted',
    'npx inpage serve --store-responses memory',
    'npx inpage serve --port 3000 --config inpage.json --key',
    'npx inpage serve --host 0.0.0.0 --key',
    'npx inpage serve --chromium /usr/bin/chromium',
    `curl http://localhost:${DEFAULT_PORT}/v1/models`,
  ],
  async run(words, values) {
    if (words.length > 0) throw new UsageError(`\`inpage serve\` accepts options only, not \`${words[0]}\`.`);
    const apiKey = values['key'] ? `sk-inpage-${randomBytes(24).toString('base64url')}` : undefined;
    const server = await startServer('serve', values, closeOnSignal, apiKey === undefined ? {} : { apiKeys: [apiKey] });
    if (apiKey !== undefined) print(clientLines(server.baseURL, apiKey));
  },
};

/**
 * Serves as the flags say, and prints where.
 * @param command whose flags they are
 * @param attend ends the server when the process is told to; called before the address is printed, because who reads that may
 * end the process at once
 * @param more options that no flag and no file can say
 * @throws UsageError, or Error that says what to do
 */
export async function startServer(
  command: string,
  { port, host, config, chromium, compatibility: name, 'store-responses': stored, log }: CommandValues,
  attend: (server: InferenceServer) => void,
  more: ServeOptions,
): Promise<InferenceServer> {
  const compatibility = readCompatibility(name);
  const asked = readPort(port);
  const address = readHost(host);
  const storeResponses = stored === undefined ? undefined : readStorage(String(stored));
  const configured: ServeOptions = typeof config === 'string' ? readConfig(config) : {};
  const { serveInference } = await import('../../serve/serve-inference.js');
  const options: ServeOptions = {
    ...configured,
    ...more,
    ...(compatibility !== undefined && { compatibility }),
    ...(storeResponses !== undefined && { storeResponses }),
    ...(log === true && { log }),
    port: asked ?? configured.port ?? DEFAULT_PORT,
    ...(address !== undefined && { host: address }),
    // The command ends the browser itself, after its last questions.
    launch: {
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      ...configured.launch,
      ...(typeof chromium === 'string' && { executablePath: chromium }),
    },
  };
  const server = await importPlaywright(command, () => serveInference(options)).catch((thrown: unknown) => {
    // Only the file can have said a wrong option.
    const isOfFile = isInferenceError(thrown) && thrown.param !== undefined;
    if (isOfFile && address !== undefined && thrown.param === 'apiKeys')
      throw new UsageError(
        `\`--host ${address}\` requires a key: add \`--key\`, or \`apiKeys\` to the file of \`--config\`.`,
      );
    if (isOfFile) throw new Error(`${String(config)}: ${thrown.message}`);
    throw thrown;
  });
  attend(server);
  print(`inpage: serving ${server.baseURL}\n`);
  if ((options.host ?? LOCAL) !== LOCAL) print(OPEN_WARNING);
  print(whereModelsRun(server, configured.models ?? DEFAULT_MODELS));
  if ((compatibility ?? configured.compatibility) !== 'hosted') print(HOSTED_HINT);
  if (server.sandbox === false) {
    print(
      'inpage: Chromium is running without its sandbox, because the sandbox does not work as root or in this container\n',
    );
  }
  return server;
}

/** Ids that are named. */
const MAX_NAMES = 5;

/** Whether a browser was started, which one and why. */
function whereModelsRun({ browser }: InferenceServer, models: readonly ModelEntry[]): string {
  if (browser === undefined)
    return 'inpage: no browser was started, because GGUF, scripted and upstream models need none\n';
  const inPage = models.filter((entry) => !runsInNode(entry)).map(({ id, backend }) => `${id} (${backend})`);
  const more = inPage.length > MAX_NAMES ? ` and ${inPage.length - MAX_NAMES} more` : '';
  return `inpage: started ${browser}, because these models run in a page: ${inPage.slice(0, MAX_NAMES).join(', ')}${more}\n`;
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
