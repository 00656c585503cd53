/** Fewer files of a build than it has modules. @module */
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** Modules by the name of their file. */
export type Groups = Readonly<Record<string, ReadonlySet<string>>>;

/**
 * Puts sets of modules into one file each, by the file's name: what a file imports is found out only when that file is there,
 * so many small files that import each other come one after the other.
 * @param names of the files
 * @param choose the sets, of all that each module imports statically, itself included
 */
export function inOneFileEach(
  names: readonly string[],
  choose: (withImports: (path: string) => ReadonlySet<string>) => Groups,
): Plugin {
  let groups: Groups = {};
  return {
    name: 'inpage:in-one-file-each',
    buildEnd() {
      const add = (id: string, found: Set<string>): Set<string> => {
        if (found.has(id)) return found;
        found.add(id);
        for (const imported of this.getModuleInfo(id)?.importedIds ?? []) add(imported, found);
        return found;
      };
      groups = choose((file) => add(join(import.meta.dirname, '..', file), new Set()));
    },
    outputOptions: (options) => ({
      ...options,
      codeSplitting: { groups: names.map((name) => ({ name, test: (id: string) => groups[name]?.has(id) === true })) },
    }),
  };
}
