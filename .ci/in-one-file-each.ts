/** Fewer files of a build than it has modules. @module */
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** Modules by the name of their file. */
export type Groups = Readonly<Record<string, ReadonlySet<string>>>;

/**
 * Puts sets of modules into one file each, by the file's name: what a file imports is found out only when that file is there,
 * so many small files that import each other come one after the other.
 * @param names of the files
 * @param choose the sets, of all that each module imports, itself included: statically, or also later
 */
export function inOneFileEach(
  names: readonly string[],
  choose: (
    withImports: (path: string) => ReadonlySet<string>,
    withLater: (path: string) => ReadonlySet<string>,
  ) => Groups,
): Plugin {
  let groups: Groups = {};
  return {
    name: 'inpage:in-one-file-each',
    buildEnd() {
      const add = (id: string, later: boolean, found: Set<string>): Set<string> => {
        if (found.has(id)) return found;
        found.add(id);
        const { importedIds = [], dynamicallyImportedIds = [] } = this.getModuleInfo(id) ?? {};
        for (const imported of later ? [...importedIds, ...dynamicallyImportedIds] : importedIds)
          add(imported, later, found);
        return found;
      };
      const from =
        (later: boolean) =>
        (file: string): Set<string> =>
          add(join(import.meta.dirname, '..', file), later, new Set());
      groups = choose(from(false), from(true));
    },
    outputOptions: (options) => ({
      ...options,
      codeSplitting: { groups: names.map((name) => ({ name, test: (id: string) => groups[name]?.has(id) === true })) },
    }),
  };
}
