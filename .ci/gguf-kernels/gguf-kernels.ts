/** The kernels of the GGUF engine as files, for the build and for tests. @module */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { compileKernels, compileProbe, KERNEL_BUILDS } from './compile-kernels.js';

/**
 * Vite plugin: `virtual:gguf-kernels` reads their wasm. In what runs in browsers they are assets, fetched one by one when they
 * are needed; in Node they are read from the disk.
 */
export function ggufKernels(): Plugin {
  const id = 'virtual:gguf-kernels';
  return {
    name: 'inpage:gguf-kernels',
    resolveId: (source) => (source === id ? `\0${id}` : null),
    async load(resolved) {
      if (resolved !== `\0${id}`) return null;
      const [files, byRow] = await Promise.all([compileAll(false), compileAll(true)]);
      const isBuilt = this.environment.config.consumer === 'client';
      if (isBuilt && this.environment.mode === 'build')
        for (const [build, path] of byRow)
          this.emitFile({ type: 'asset', fileName: `${BY_ROW}${build}.wasm`, source: readFileSync(path) });
      const read = isBuilt
        ? fetching(files)
        : reading([...files, ...byRow.map(([build, path]) => [`${build}ByRow`, path] as const)]);
      return read + probing(readFileSync(await compileProbe()));
    },
  };
}

/** Beside the chunks of the package. */
const BY_ROW = 'gguf-by-row/';

const compileAll = (isByRow: boolean): Promise<Files> =>
  Promise.all(KERNEL_BUILDS.map(async (build) => [build, await compileKernels(build, isByRow)] as const));

type Files = readonly (readonly [build: string, path: string])[];

const fetching = (files: Files): string => `
import { assetURL } from ${JSON.stringify(join(import.meta.dirname, '../../src/core/platform/asset-url.ts'))};
${files.map(([build, path]) => `import ${build} from ${JSON.stringify(`${path}?url&no-inline`)};`).join('\n')}
const addresses = { ${files.map(([build]) => build).join(', ')} };
// A name that no bundler understands: only the package itself, in Node, has these files.
const byRow = (build) => ['..', '${BY_ROW.slice(0, -1)}', build + '.wasm'].join('/');
export async function readKernels(build, isByRow) {
  const place = import.meta.url;
  const response = await fetch(isByRow ? new URL(byRow(build), place) : assetURL(addresses[build], place));
  const { ok, status, url, headers } = response;
  if (!ok) throw new Error(\`\${url} answered with status \${status}\`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (String.fromCharCode(...bytes.subarray(0, 4)) !== '\\0asm')
    throw new Error(\`\${url} is not a WebAssembly file, and its content type is \${headers.get('content-type')}\`);
  return bytes;
}
`;

const reading = (files: Files): string => `
import { readFile } from 'node:fs/promises';
const paths = ${JSON.stringify(Object.fromEntries(files))};
export const readKernels = async (build, isByRow) => readFile(paths[isByRow ? build + 'ByRow' : build]);
`;

/** A few hundred bytes, which say which of the files to fetch. */
const probing = (wasm: Buffer): string => `
export const probe = Uint8Array.from(atob('${wasm.toString('base64')}'), (character) => character.charCodeAt(0));
`;
