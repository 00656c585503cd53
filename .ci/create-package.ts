/** What the package `create-inpage` has beside its program. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const read = (file: string): string => readFileSync(join(import.meta.dirname, '..', file), 'utf8');

/** Vite plugin: adds its package.json, with the version and the origin of Inpage's own, its README and its license. */
export function createPackage(): Plugin {
  return {
    name: 'inpage:create-package',
    generateBundle() {
      const { version, bugs, engines, homepage, license, repository } = JSON.parse(read('package.json')) as Record<
        string,
        unknown
      >;
      const content = {
        name: 'create-inpage',
        version,
        description: 'Begins an app whose /v1 is answered by models inside the page: `npm create inpage`.',
        homepage,
        bugs,
        license,
        repository,
        bin: { 'create-inpage': './index.js' },
        files: ['*.js'],
        type: 'module',
        engines,
      };
      const emit = (fileName: string, source: string): void => {
        this.emitFile({ type: 'asset', fileName, source });
      };
      emit('package.json', `${JSON.stringify(content, null, 2)}\n`);
      emit('README.md', read('demo/templates/README.md'));
      emit('LICENSE', read('LICENSE'));
    },
  };
}
