#!/usr/bin/env node
/**
 * `npx inpage init <public folder>`: copies what a page needs beside its bundle, for builds without the Vite plugin.
 * @module
 */
import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BUNDLED_MODELS, listStaticFiles } from '../vite/static-files.js';

const [command, folder] = process.argv.slice(2);
if (command === 'init' && folder) {
  const files = listStaticFiles(BUNDLED_MODELS);
  for (const [url, file] of files) {
    const target = join(folder, url);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(file.path, target);
  }
  process.stdout.write(`inpage: copied ${files.size} files to ${folder}\n`);
} else {
  process.stderr.write('Usage: inpage init <public folder>\n');
  process.exitCode = 2;
}
