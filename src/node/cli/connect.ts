/** `inpage connect`. @module */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { suggestName } from '../../core/models/suggest-name.js';
import { type Command, type CommandValues, UsageError } from './command.js';
import { type ConfigurationFile, type Connection, type ProgramSetup, PROGRAMS } from './connected-programs.js';
import { readJsonFile } from './read-json-file.js';

const DEFAULT_URL = 'http://localhost:8080/v1';

/** Milliseconds until the service must have said which models it has. */
const PATIENCE = 5_000;

/** Prints what points a program at the service; writes its configuration file when told to. */
export const connect: Command = {
  summary: 'Prints the lines that point a coding agent or another program at a running `inpage serve`.',
  usage: [`connect <${Object.keys(PROGRAMS).join('|')}> [--url URL] [--model ID] [--key KEY] [--write]`],
  options: {
    url: { type: 'string', value: 'URL', help: `Base of the service. Default: ${DEFAULT_URL}` },
    model: { type: 'string', value: 'ID', help: 'The model to use. Default: the first chat model of the service.' },
    key: { type: 'string', value: 'KEY', help: 'The key that `inpage serve --key` has printed. Default: none' },
    write: { type: 'boolean', help: "Write the program's configuration file instead. JSON that is there is kept." },
  },
  examples: ['npx inpage connect codex', 'npx inpage connect opencode --model my-model --write'],
  async run([program, ...more], values) {
    const names = Object.keys(PROGRAMS);
    if (program === undefined || more.length > 0) {
      throw new UsageError(`\`inpage connect\` takes one program: ${names.join(', ')}.`);
    }
    const setupOf = Object.hasOwn(PROGRAMS, program) ? PROGRAMS[program] : undefined;
    if (!setupOf) throw new UsageError(`\`${program}\` is not a known program. ${suggestName(program, names)}`);
    const setup = setupOf(await connectionOf(values));
    if (!values['write']) return void process.stdout.write(linesOf(setup));
    if (!setup.file)
      throw new UsageError(`\`${program}\` has no configuration file to write: call it without \`--write\`.`);
    writeFile(setup.file);
    const { environment, note } = setup;
    // JSON holds the environment too, where there is one.
    const rest = {
      ...(environment && typeof setup.file.content === 'string' && { environment }),
      ...(note && { note }),
    };
    process.stdout.write(linesOf(rest));
  },
};

/** @throws UsageError, or Error that says what to do when the service cannot be asked */
async function connectionOf({ url, model, key }: CommandValues): Promise<Connection> {
  const baseURL = String(url ?? DEFAULT_URL).replace(/\/+$/, '');
  if (!/^https?:/.test(baseURL) || !URL.canParse(baseURL)) {
    throw new UsageError(`\`--url\` must be the base of a service, such as ${DEFAULT_URL}, not \`${baseURL}\`.`);
  }
  const apiKey = String(key ?? 'none');
  const models = await modelsOf(baseURL, apiKey);
  const found = models.find(({ id, chats }) => (model === undefined ? chats : id === model));
  if (!found) {
    const known = models.map(({ id }) => id).join(', ') || 'none';
    throw new Error(
      `${baseURL} has no ${model === undefined ? 'chat model' : `model \`${String(model)}\``}. Its models: ${known}.`,
    );
  }
  return { baseURL, key: apiKey, model: found.id, contextLength: found.contextLength };
}

interface ServedModel {
  id: string;
  contextLength: number;
  chats: boolean;
}

interface ModelsAnswer {
  data: { id: string; context_length: number; vendor_metadata?: { capabilities?: string[] } }[];
}

async function modelsOf(baseURL: string, key: string): Promise<ServedModel[]> {
  const headers = { authorization: `Bearer ${key}` };
  const signal = AbortSignal.timeout(PATIENCE);
  const response = await fetch(`${baseURL}/models?verbose=true`, { headers, signal }).catch((cause: unknown) => {
    const hint = 'Start it with `npx inpage serve --compatibility hosted`, or name its base with `--url`.';
    throw new Error(`Nothing answers at ${baseURL}. ${hint}`, { cause });
  });
  if (!response.ok) throw new Error(`${baseURL} answers with ${response.status}. Does it need \`--key\`?`);
  const { data } = (await response.json()) as ModelsAnswer;
  return data.map(({ id, context_length: contextLength, vendor_metadata: metadata }) => ({
    id,
    contextLength,
    chats: metadata?.capabilities?.includes('chat') ?? false,
  }));
}

/** Environment as shell commands, the file with its path. */
function linesOf({ environment, file, note }: ProgramSetup): string {
  const commands = Object.entries(environment ?? {}).map(([name, value]) => `export ${name}=${shellQuoted(value)}\n`);
  const content = file && `# ~/${file.path}\n${textOf(file.content)}`;
  return [commands.join(''), content, note && `${note}\n`].filter(Boolean).join('\n');
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function textOf(content: ConfigurationFile['content']): string {
  return typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`;
}

/** @throws Error for a file whose text cannot be merged */
function writeFile({ path, content }: ConfigurationFile): void {
  const file = join(homedir(), path);
  const isThere = existsSync(file);
  if (isThere && typeof content === 'string') {
    if (readFileSync(file, 'utf8').includes(content)) return;
    throw new Error(`${file} is there already. Add the lines that \`inpage connect\` prints without \`--write\`.`);
  }
  const whole = isThere && typeof content === 'object' ? merged(readJsonFile(file), content) : content;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, textOf(whole as ConfigurationFile['content']));
  process.stdout.write(`inpage: wrote ${file}\n`);
}

/** What is there, with our members in their places. */
function merged(there: unknown, ours: unknown): unknown {
  if (!isObject(there) || !isObject(ours)) return ours;
  const members = Object.entries(ours).map(([name, value]) => [name, merged(there[name], value)]);
  return { ...there, ...Object.fromEntries(members) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
