/** Writes a new app. @module */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { filesOf } from './templates.js';

/** Written by the build: that of `create-inpage`, which is published with the same version of `inpage`. */
declare const INPAGE_VERSION: string;

/** The longest name that npm takes. */
const MAX_NAME_LENGTH = 214;

/**
 * Refuses a folder that holds something; that it has a repository is no reason to.
 * @throws Error that names the folder
 */
export function checkFolder(folder: string): void {
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
export function writeApp(folder: string, template: string): void {
  for (const [path, text] of filesOf(template)) {
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
