/** `npm create inpage`. @module */
import { resolve } from 'node:path';
import { type Command, table, UsageError } from '../cli/command.js';
import { TEMPLATES, type Template } from './templates.js';
import { ask, isTerminal, type Streams } from './terminal.js';
import { checkFolder, writeApp } from './write-app.js';

const DEFAULT_FOLDER = 'inpage-app';
const NAMES = Object.keys(TEMPLATES);
const [DEFAULT_TEMPLATE = ''] = NAMES;

/** Writes an app from a template; asks for what it was not told where it can. Fetches nothing. */
export const createApp = (streams: Streams): Command => ({
  summary: 'Writes a new app whose /v1 is answered by Inpage. Fetches nothing and installs nothing.',
  usage: ['[folder] -- [--template NAME]', '[folder] [template]'],
  options: {
    template: {
      type: 'string',
      value: 'NAME',
      help: `${NAMES.join(', ')}. Asked for when it is missing, as the folder is.`,
    },
  },
  examples: ['npm create inpage', 'npm create inpage my-app -- --template react', 'npm create inpage . next'],
  async run(words, { template: option }) {
    const [wordOfFolder, wordOfTemplate, ...more] = words;
    if (more.length > 0 || (wordOfTemplate !== undefined && option !== undefined)) {
      throw new UsageError(`takes one folder and one template, not \`${words.join(' ')}\`. See \`--help\`.`);
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
Wrote ${isHere ? 'this folder' : folder} from the template \`${template}\`. Go on with:

${commands.map((command) => `  ${command}\n`).join('')}`;
}

/** As a shell takes it for one word. */
const quoted = (path: string): string => (/^[\w./\\:~@+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);
