/** `inpage init`. @module */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BUNDLED_MODELS, listStaticFiles, type StaticFileOptions } from '../static-files/static-files.js';
import { UNINSTALL_SCRIPT } from './uninstall-script.js';

/** Copies the static files into an app's public folder. @throws Error when there is no such model */
export function init(folder: string, options: Partial<StaticFileOptions> = {}): void {
  const files = listStaticFiles({ models: BUNDLED_MODELS, webgpu: true, ...options });
  for (const [url, file] of files) {
    const target = join(folder, url);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(file.path, target);
  }
  process.stdout.write(`inpage: copied ${files.size} files to ${folder}\n`);
}

/** Puts the script that removes itself where the Service Worker was. */
export function initUninstall(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'inpage-sw.js'), UNINSTALL_SCRIPT);
  process.stdout.write(
    `inpage: wrote ${join(folder, 'inpage-sw.js')}, which removes the Service Worker; keep serving it\n`,
  );
}
