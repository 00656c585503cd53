/** `npm create inpage`. @module */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Command, table, UsageError } from '../cli/command.js';
import { readTemplate, type Template, TEMPLATES } from './templates.js';
import { ask, isTerminal, type Streams } from './terminal.js';

const DEFAULT_FOLDER = 'inpage-app';
const NAMES = Object.keys(TEMPLATES);
const [DEFAULT_TEMPLATE = ''] = NAMES;

/** Writes an app from a template; asks for what it was not told where it can. Fetches nothing. */
export const createApp = (streams: Streams): Command => ({
  summary: 'Creates a new app that uses Inpage. It does not download or install anything.',
  usage: ['[folder] -- [--template NAME]', '[folder] [template]'],
  options: {
    template: {
      type: 'string',
      value: 'NAME',
      help: `${NAMES.join(', ')}. If you leave out the template or the folder, you are asked for it.`,
    },
  },
  examples: ['npm create inpage', 'npm create inpage my-app -- --template react', 'npm create inpage . next'],
  async run(words, { template: option }) {
    const [wordOfFolder, wordOfTemplate, ...more] = words;
    if (more.length > 0 || (wordOfTemplate !== undefined && option !== undefined)) {
      throw new UsageError(`accepts one folder and one template, not \`${words.join(' ')}\`. See \`--help\`.`);
    }
    const named = wordOfTemplate ?? (option as string | undefined);
    if (named !== undefined && !isTemplate(named)) throw new UsageError(unknownTemplate(named));
    if (!isTerminal(streams) && (wordOfFolder === undefined || named === undefined)) {
      throw new UsageError(
        `needs a folder and a template, e.g. \`npm create inpage my-app -- --template ${DEFAULT_TEMPLATE}\`. ${known()}`,
      );
    }
    const folder = wordOfFolder ?? (await ask(streams, 'Folder', DEFAULT_FOLDER));
    checkFolder(folder);
    const template = named ?? (await askTemplate(streams));
    writeApp(folder, template);
    streams.output.write(report(folder, template));
  },
});

async function askTemplate(streams: Streams): Promise<string> {
  streams.output.write(`\n${table(NAMES.map((name) => [name, TEMPLATES[name]!.summary] as const))}\n\n`);
  for (;;) {
    const name = await ask(streams, 'Template', DEFAULT_TEMPLATE);
    if (isTemplate(name)) return name;
    streams.output.write(`${unknownTemplate(name)}\n`);
  }
}

const isTemplate = (name: string): boolean => Object.hasOwn(TEMPLATES, name);
const known = (): string => `Templates: ${NAMES.join(', ')}.`;
const unknownTemplate = (name: string): string => `\`${name}\` is not a template. ${known()}`;

/** What was done, and the commands to go on with. */
function report(folder: string, template: string): string {
  const { steps } = TEMPLATES[template] as Template;
  const isHere = resolve(folder) === process.cwd();
  const commands = [...(isHere ? [] : [`cd ${quoted(folder)}`]), 'npm install', ...steps];
  return `
Created an app in ${isHere ? 'this folder' : folder} from the \`${template}\` template. Next steps:

${commands.map((command) => `  ${command}\n`).join('')}`;
}

/** As a shell takes it for one word. */
const quoted = (path: string): string => (/^[\w./\\:~@+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);

/** Written by the build: that of `create-inpage`, which is published with the same version of `inpage`. */
declare const INPAGE_VERSION: string;

/** The longest name that npm takes. */
const MAX_NAME_LENGTH = 214;

/**
 * Refuses a folder that holds something; that it has a repository is no reason to.
 * @throws Error that names the folder
 */
function checkFolder(folder: string): void {
  if (namesIn(folder).some((name) => name !== '.git')) {
    throw new Error(`${folder}: is not empty. Name a new or empty folder; nothing was written.`);
  }
}

/**
 * Writes a template's files. Its package gets the folder's name, and asks for the Inpage that this program belongs to.
 * @param folder made if need be
 * @param template one of `TEMPLATES`
 * @throws Error of `node:fs`
 */
function writeApp(folder: string, template: string): void {
  for (const [path, text] of readTemplate(template)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, path === 'package.json' ? packageFor(basename(resolve(folder)), text) : text);
  }
}

/** @throws Error of `node:fs`, e.g. of a folder that is a file */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw thrown;
  }
}

interface PackageJson {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

function packageFor(folderName: string, text: string): string {
  const content = JSON.parse(text) as PackageJson;
  const used = Object.keys({ ...content.dependencies, ...content.devDependencies });
  const name = packageName(folderName);
  // A package that is called like one that it uses would find itself.
  content.name = used.includes(name) ? `${name}-app` : name;
  for (const group of [content.dependencies, content.devDependencies]) {
    if (group?.['inpage'] !== undefined) group['inpage'] = `^${INPAGE_VERSION}`;
  }
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** What is left of a folder's name in the characters that npm takes. */
export function packageName(folderName: string): string {
  const name = folderName
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9._~-]+/g, '-')
    .replaceAll(/^[._-]+|-+$/g, '')
    .slice(0, MAX_NAME_LENGTH - '-app'.length);
  return ['', 'node_modules', 'favicon.ico'].includes(name) ? 'inpage-app' : name;
}
