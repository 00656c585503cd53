/** What `npm create inpage` writes and refuses, without a process of its own. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { UsageError } from '../../../src/tools/cli/command.js';
import { createApp } from '../../../src/tools/create/create-app.js';
import { readTemplate, TEMPLATES } from '../../../src/tools/create/templates.js';
import { packageName } from '../../../src/tools/create/create-app.js';

const root = join(import.meta.dirname, '../../..');
const workshop = mkdtempSync(join(tmpdir(), 'inpage-create-'));
afterAll(() => rmSync(workshop, { recursive: true }));
beforeEach(() => {
  vi.stubGlobal('INPAGE_VERSION', packageJson.version);
});

const NAMES = Object.keys(TEMPLATES);
const ALL = 'Templates: vanilla, react, next, playwright.';
let folders = 0;
const newFolder = (): string => join(workshop, `app-${folders++}`);
const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
const packageOf = (folder: string): Record<string, Record<string, string>> & { name: string } =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as ReturnType<typeof packageOf>;

/** Runs it at a terminal where somebody types these lines, each when it is asked; without lines, at no terminal. */
async function create(words: string[], template?: string, lines?: (string | undefined)[]): Promise<string> {
  const isTTY = lines !== undefined;
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY });
  let printed = '';
  output.on('data', (text: Buffer) => {
    printed += text.toString();
    if (!text.toString().endsWith('): ') || !lines?.length) return;
    const line = lines.shift();
    if (line === undefined) input.end();
    else input.write(`${line}\n`);
  });
  await createApp({ input, output }).run(words, { template });
  return printed;
}

describe.each(NAMES)('the template %s', (name) => {
  const templates = join(root, 'demo/templates');
  const kept = execFileSync('git', ['ls-files', '-co', '--exclude-standard', name], {
    cwd: templates,
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .map((path) => path.slice(name.length + 1));

  it('is written as it is kept, but for its package.json', async () => {
    const folder = newFolder();
    await create([folder], name);
    expect(filesBelow(folder)).toEqual(kept.toSorted());
    for (const path of kept.filter((each) => each !== 'package.json')) {
      expect([path, readFileSync(join(folder, path), 'utf8')]).toEqual([
        path,
        readFileSync(join(templates, name, path), 'utf8'),
      ]);
    }
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toMatch(/^node_modules\/$/m);
  });

  it('asks for the Inpage of this repository, and of others what its tests run with', async () => {
    const folder = newFolder();
    await create([folder], name);
    const { dependencies, devDependencies } = packageOf(folder);
    const versions: Record<string, string> = packageJson.devDependencies;
    const asked = Object.entries({ ...dependencies, ...devDependencies });
    expect(asked).toContainEqual(['inpage', `^${packageJson.version}`]);
    const next = packageOf(join(root, 'demo/examples/next')).dependencies!['next']!;
    for (const [library, range] of asked.filter(([each]) => each !== 'inpage')) {
      const version = library === 'next' ? next : versions[library]!;
      expect([library, range]).toEqual([library, `^${version.replace('^', '')}`]);
    }
  });

  it('says what to do next', async () => {
    const folder = newFolder();
    const printed = await create([folder], name);
    const { scripts } = packageOf(folder);
    const commands = printed.split('\n').filter((line) => line.startsWith('  '));
    expect(commands.slice(0, 2)).toEqual([`  cd ${folder}`, '  npm install']);
    const [, script] = /^ {2}npm (?:run )?(\w+)$/.exec(commands.at(-1)!) ?? [];
    expect(scripts).toHaveProperty(script!);
  });
});

it('files that templates share are the same', () => {
  const style = readTemplate('vanilla').get('src/style.css');
  expect([readTemplate('react').get('src/style.css'), readTemplate('next').get('app/style.css')]).toEqual([
    style,
    style,
  ]);
  expect(readTemplate('next').get('app/chat.tsx')).toBe(readTemplate('react').get('src/chat.tsx'));
});

it('every folder of templates is offered', () => {
  const folders = readdirSync(join(root, 'demo/templates'), { withFileTypes: true }).filter((each) =>
    each.isDirectory(),
  );
  expect(folders.map(({ name }) => name).toSorted()).toEqual(NAMES.toSorted());
});

describe('the package is named', () => {
  it.each([
    ['my-app', 'my-app'],
    [' My App! ', 'my-app'],
    ['.hidden', 'hidden'],
    ['Straße 7', 'stra-e-7'],
    ['日本', 'inpage-app'],
    ['node_modules', 'inpage-app'],
    ['a'.repeat(300), 'a'.repeat(210)],
  ])('after the folder %j', (folder, name) => {
    expect(packageName(folder)).toBe(name);
  });

  it.each(['inpage', 'React'])('otherwise than what it uses: %s', async (base) => {
    const folder = join(newFolder(), base);
    await create([folder], 'react');
    expect(packageOf(folder).name).toBe(`${base.toLowerCase()}-app`);
  });
});

describe('a folder', () => {
  it('may be empty, or have a repository only', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, '.git'), { recursive: true });
    await create([folder], 'vanilla');
    expect(packageOf(folder).name).toMatch(/^app-\d+$/);
  });

  it('that holds something is refused and left as it is, before more is asked', async () => {
    const folder = newFolder();
    mkdirSync(folder);
    writeFileSync(join(folder, 'note.txt'), 'mine');
    await expect(create([folder], undefined, ['vanilla'])).rejects.toThrow(`${folder}: is not empty.`);
    expect(filesBelow(folder)).toEqual(['note.txt']);
  });

  it('that is a file is refused', async () => {
    const file = newFolder();
    writeFileSync(file, 'mine');
    await expect(create([file], 'vanilla')).rejects.toThrow('ENOTDIR');
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });
});

describe('wrong arguments are refused', () => {
  it.each([
    [['app'], 'vue', `\`vue\` is not a template. ${ALL}`],
    [['app', 'toString'], undefined, `\`toString\` is not a template. ${ALL}`],
    [['app', 'react'], 'react', 'accepts one folder and one template, not `app react`.'],
    [['my', 'first', 'app'], undefined, 'accepts one folder and one template, not `my first app`.'],
    [['app'], undefined, `needs a folder and a template`],
    [[], 'react', ALL],
  ])('%j with --template %s', async (words, template, message) => {
    const failed = create(words, template);
    await expect(failed).rejects.toThrow(UsageError);
    await expect(failed).rejects.toThrow(message);
  });
});

describe('at a terminal', () => {
  it('asks for what it was not told, and again for a template that there is not', async () => {
    const folder = newFolder();
    const printed = await create([], undefined, [folder, 'vue', 'react']);
    expect(printed).toContain('Folder (inpage-app): ');
    for (const name of NAMES) expect(printed).toContain(`\n  ${name} `);
    expect(printed).toContain(`\`vue\` is not a template. ${ALL}`);
    expect(filesBelow(folder)).toContain('src/chat.tsx');
  });

  it('an empty answer takes what is offered', async () => {
    const folder = newFolder();
    await create([folder], undefined, ['']);
    expect(filesBelow(folder)).toContain('src/main.ts');
  });

  it('the template may be the second word: npm keeps options without `--` for itself', async () => {
    const folder = newFolder();
    await create([folder, 'next'], undefined, []);
    expect(filesBelow(folder)).toContain('app/page.tsx');
  });

  it('nothing is written when whoever is asked leaves', async () => {
    const folder = newFolder();
    await expect(create([folder], undefined, [undefined])).rejects.toThrow('stopped. Nothing was written.');
    expect(() => readdirSync(folder)).toThrow('ENOENT');
  });
});
