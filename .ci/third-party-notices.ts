/** Writes the licenses of everything that a build bundles beside it, as those licenses ask. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Plugin } from 'vite';

interface Manifest {
  name: string;
  version: string;
  license?: string;
  author?: string | { name?: string };
  repository?: string | { url?: string };
}

/** What packages hold compiled, under a license of its own. */
const INSIDE: Record<string, string> = {
  '@mediabunny/mp3-encoder':
    'Contains the LAME MP3 encoder 3.100 (https://lame.sourceforge.io), compiled to WebAssembly, under the GNU Lesser General Public License 2.0 or later (https://www.gnu.org/licenses/old-licenses/lgpl-2.0.html). It is `mp3-encoder-worker.js` here, which may be replaced. How it was built: the README of the package.',
  'mpg123-decoder':
    'Contains the decoder of mpg123 1.33 (https://mpg123.org), compiled to WebAssembly, under the GNU Lesser General Public License 2.1 (https://www.gnu.org/licenses/old-licenses/lgpl-2.1.html). How it was built: https://github.com/eshaz/wasm-audio-decoders.',
};

/**
 * License texts that packages do not bring: as their projects publish them. `onnxruntime-third-party.txt` is
 * `ThirdPartyNotices.txt` of ONNX Runtime 1.32.0: of what its wasm is compiled from.
 */
const LICENCE_FILES: Record<string, readonly string[]> = {
  'onnxruntime-common': ['onnxruntime.txt'],
  'onnxruntime-web': ['onnxruntime.txt', 'onnxruntime-third-party.txt'],
  '@mlc-ai/web-xgrammar': ['xgrammar.txt'],
};

/**
 * Vite plugin: emits `THIRD-PARTY-NOTICES.md`.
 * @param copied packages whose files are copied and not bundled
 */
export function thirdPartyNotices(copied: readonly string[]): Plugin {
  return {
    name: 'inpage:third-party-notices',
    generateBundle(_, bundle) {
      const folders = new Set(copied.map((name) => join('node_modules', name)));
      for (const output of Object.values(bundle)) {
        for (const id of output.type === 'chunk' ? output.moduleIds : output.originalFileNames) {
          const folder = packageFolder(id);
          if (folder !== undefined) folders.add(folder);
        }
      }
      const source = writeNotices([...folders].toSorted((a, b) => (basename(a) < basename(b) ? -1 : 1)));
      this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-NOTICES.md', source });
    },
  };
}

/** Of a module's id: the folder of its package, relative to the project. */
function packageFolder(id: string): string | undefined {
  return /.*?(node_modules\/(?:.*node_modules\/)?(?:@[^/]+\/)?[^/?]+)/.exec(id)?.[1];
}

/** The notices of packages. @param folders relative to the project */
export function writeNotices(folders: readonly string[]): string {
  const parts = folders.map((folder) => {
    const { name, version, license, author, repository } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as Manifest;
    const facts = [
      `License: ${license ?? 'see below'}`,
      `Copyright: ${(typeof author === 'string' ? author : author?.name) ?? `the authors of ${name}`}`,
      `Source: ${(typeof repository === 'string' ? repository : repository?.url) ?? `https://www.npmjs.com/package/${name}`}`,
    ];
    const inside = INSIDE[name];
    if (inside !== undefined) facts.push(inside);
    return `## ${name} ${version}\n\n${facts.join('\n\n')}\n\n${licenceText(folder, name)}`;
  });
  return `# Third-party notices\n\nThe files in this folder contain the following packages.\n\n${parts.join('\n')}`;
}

/** Some packages of a monorepo leave their license at its root, which is not published. */
function licenceText(folder: string, name: string): string {
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|thirdparty)/i.test(file));
  const paths = files.map((file) => join(folder, file));
  if (paths.length === 0) paths.push(...(LICENCE_FILES[name] ?? []).map((file) => join('.ci/licences', file)));
  return paths.map((path) => `\`\`\`\n${readFileSync(path, 'utf8').trim()}\n\`\`\`\n`).join('\n');
}
