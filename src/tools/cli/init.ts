/** `inpage init`. @module */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BUNDLED_MODELS, listStaticFiles } from '../../serve/static-files/static-files.js';
import { type Command, type CommandValues, UsageError } from './command.js';
import { print } from './print.js';

/**
 * A Service Worker script that removes itself. Served under the old script's name, it is an update for browsers. It takes
 * over all open pages, sends their requests to the network, and is gone with the next visit. No page needs to run any code
 * for that.
 */
const UNINSTALL_SCRIPT = `// Removes inpage's Service Worker from the browsers of returning visitors.
addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim().then(() => registration.unregister())));
`;

/** Copies the static files into an app's public folder, or puts the script there that removes what was installed. */
export const init: Command = {
  summary:
    'Copies the Service Worker, ONNX Runtime and the bundled models into a public folder, for builds without the Vite plugin.',
  usage: ['init <public folder> [--models NAMES] [--no-webgpu]', 'init <public folder> --uninstall'],
  options: {
    models: {
      type: 'string',
      value: 'NAMES',
      help: `Bundled models, separated by commas; '' copies none. Default: ${BUNDLED_MODELS.join(',')}`,
    },
    'no-webgpu': { type: 'boolean', help: 'Leave ONNX Runtime for WebGPU out (27 MB in one file).' },
    uninstall: {
      type: 'boolean',
      help: "Put a script there instead that removes the Service Worker from returning visitors' browsers.",
    },
  },
  examples: [
    'npx inpage init public',
    'npx inpage init public --models tiny-chat --no-webgpu',
    "npx inpage init static --models ''",
    'npx inpage init public --uninstall',
  ],
  run([folder, ...more], values) {
    if (folder === undefined || more.length > 0) {
      throw new UsageError('`inpage init` requires one folder, e.g. `npx inpage init public`.');
    }
    if (!values['uninstall']) return copyFiles(folder, values);
    if (values['models'] !== undefined || values['no-webgpu'] !== undefined) {
      throw new UsageError('`--uninstall` copies no files: use it without `--models` and `--no-webgpu`.');
    }
    copyUninstaller(folder);
  },
};

function copyFiles(folder: string, { models, 'no-webgpu': withoutWebGPU }: CommandValues): void {
  const names = typeof models === 'string' ? namesIn(models) : BUNDLED_MODELS;
  const files = listStaticFiles({ models: names, webgpu: !withoutWebGPU });
  for (const [url, file] of files) {
    const target = join(folder, url);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(file.path, target);
  }
  print(`inpage: copied ${files.size} files to ${folder}\n`);
}

function namesIn(list: string): string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
}

function copyUninstaller(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of ['inpage-sw.js', 'inpage-sw-isolated.js']) writeFileSync(join(folder, name), UNINSTALL_SCRIPT);
  print(`inpage: wrote ${join(folder, 'inpage-sw.js')}, which removes the Service Worker. Keep serving it\n`);
}
