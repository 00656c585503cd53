/** `inpage connect`. @module */
import * as v from 'valibot';
import { suggestName } from '../../core/models/suggest-name.js';
import { type Command, type CommandValues, UsageError } from './command.js';
import { type ConfigurationFile, type ProgramConnection, type ProgramSetup, PROGRAMS } from './connected-programs.js';
import { print } from './print.js';
import { shellQuoted } from './shell-quoted.js';

const DEFAULT_URL = 'http://localhost:8080/v1';

/** Milliseconds until the service must have listed its models. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Prints what points a program at the service. It writes no file: a person reads what a service answered before a program does. */
export const connect: Command = {
  summary: 'Prints the lines that point a coding agent or another program at a running `inpage serve`.',
  usage: [`connect <${Object.keys(PROGRAMS).join('|')}> [--url URL] [--model ID] [--key KEY]`],
  options: {
    url: { type: 'string', value: 'URL', help: `Base of the service. Default: ${DEFAULT_URL}` },
    model: { type: 'string', value: 'ID', help: 'The model to use. Default: the first chat model of the service.' },
    key: { type: 'string', value: 'KEY', help: 'The key that `inpage serve --key` has printed. Default: none' },
  },
  examples: ['npx inpage connect codex', 'npx inpage connect opencode --model my-model'],
  async run([program, ...more], values) {
    const names = Object.keys(PROGRAMS);
    if (program === undefined || more.length > 0) {
      throw new UsageError(`\`inpage connect\` requires one program: ${names.join(', ')}.`);
    }
    const setupOf = Object.hasOwn(PROGRAMS, program) ? PROGRAMS[program] : undefined;
    if (!setupOf) throw new UsageError(`\`${program}\` is not a known program. ${suggestName(program, names)}`);
    const connection = await resolveConnection(values);
    print(formatSetup(setupOf(connection), connection));
  },
};

/** Whether a text is fit for a configuration file, a command line and a terminal: one line without control characters. */
const isPlain = (text: string): boolean => text.length <= 500 && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text);

/** @throws UsageError, or Error that says what to do when the service cannot be asked */
async function resolveConnection({ url, model, key }: CommandValues): Promise<ProgramConnection> {
  const given = String(url ?? DEFAULT_URL);
  if (!/^https?:/.test(given) || !isPlain(given) || !URL.canParse(given)) {
    throw new UsageError(`\`--url\` must be the base URL of a service, such as ${DEFAULT_URL}, not \`${given}\`.`);
  }
  const baseURL = new URL(given).href.replace(/\/+$/, '');
  const apiKey = String(key ?? 'none');
  if (!isPlain(apiKey)) throw new UsageError('`--key` must be a key in one line without control characters.');
  const models = await fetchModels(baseURL, apiKey);
  const firstOf = (capability: string): string | undefined =>
    models.find(({ capabilities }) => capabilities.includes(capability))?.id;
  const found = models.find(({ id }) => id === (model ?? firstOf('chat')));
  if (!found) {
    const known = models.map(({ id }) => id).join(', ') || 'none';
    throw new Error(
      `${baseURL} has no ${model === undefined ? 'chat model' : `model \`${String(model)}\``}. Its models: ${known}.`,
    );
  }
  const [embeddings, transcription, speech] = [firstOf('embeddings'), firstOf('transcription'), firstOf('speech')];
  const others = {
    ...(embeddings !== undefined && { embeddings }),
    ...(transcription !== undefined && { transcription }),
    ...(speech !== undefined && { speech }),
  };
  return { baseURL, key: apiKey, model: found.id, contextLength: found.contextLength, models: others };
}

interface ServedModel {
  id: string;
  /** Undefined: the service has not loaded it and does not know. */
  contextLength: number | undefined;
  /** What it can, by the names of the service. */
  capabilities: readonly string[];
}

const Metadata = v.object({
  capabilities: v.optional(v.array(v.string())),
  limits_known: v.optional(v.boolean()),
});

/** What programs replace in their configuration by a variable, a file or a secret, which they would then send as the model's name. */
const PLACEHOLDER = /\$[\w{]|\{(?:env|file):|os\.environ\//;

// A leading dash would be a flag of the program that gets it.
const ModelId = v.pipe(
  v.string(),
  v.check((id) => id !== '' && !id.startsWith('-') && isPlain(id) && !PLACEHOLDER.test(id)),
);

const ModelsAnswer = v.object({
  data: v.array(
    v.object({
      id: ModelId,
      context_length: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
      vendor_metadata: v.optional(Metadata),
    }),
  ),
});

/** Nothing that a service answers is believed: whatever listens at the port may be another program. */
async function fetchModels(baseURL: string, key: string): Promise<ServedModel[]> {
  const headers = { authorization: `Bearer ${key}` };
  const signal = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
  const response = await fetch(`${baseURL}/models?verbose=true`, { headers, signal }).catch((cause: unknown) => {
    const hint = 'Start it with `npx inpage serve --compatibility hosted`, or name its base with `--url`.';
    throw new Error(`Nothing answers at ${baseURL}. ${hint}`, { cause });
  });
  if (!response.ok)
    throw new Error(`${baseURL} answers with status ${response.status}. ${hintOfStatus(response.status)}`);
  const answer = v.safeParse(ModelsAnswer, await response.json().catch(() => undefined));
  if (!answer.success) {
    const path = v.getDotPath(answer.issues[0]);
    const what = path === null ? 'is not JSON' : `has a wrong value at \`${path}\``;
    throw new Error(
      `The list of models of ${baseURL} ${what}. Is another program listening there? Name the service with \`--url\`.`,
    );
  }
  return answer.output.data.map(({ id, context_length: contextLength, vendor_metadata: metadata }) => ({
    id,
    contextLength: metadata?.limits_known ? contextLength : undefined,
    capabilities: metadata?.capabilities ?? [],
  }));
}

/** What to do about an answer that is an error. */
function hintOfStatus(status: number): string {
  if (status === 401 || status === 403) return 'Pass the key that it requires with `--key`.';
  return status < 500
    ? `Is another program listening there? Name the service with \`--url\`, such as ${DEFAULT_URL}.`
    : 'Its own log says why.';
}

/** Environment as shell commands, the file with its path. */
function formatSetup({ environment, file, note }: ProgramSetup, { model, contextLength }: ProgramConnection): string {
  const commands = Object.entries(environment ?? {}).map(([name, value]) => `export ${name}=${shellQuoted(value)}\n`);
  const content = file && `# ~/${file.path}\n${formatConfiguration(file.content)}`;
  const limits =
    contextLength === undefined &&
    `# The context length of ${model} is known once it is loaded: send it a request, then run this command again.\n`;
  return [limits, commands.join(''), content, note && `${note}\n`].filter(Boolean).join('\n');
}

function formatConfiguration(content: ConfigurationFile['content']): string {
  return typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`;
}
