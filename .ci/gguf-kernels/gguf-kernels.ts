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
      const files = await Promise.all(
        KERNEL_BUILDS.flatMap((build) => [
          compileKernels(build, false).then((path) => [build, path] as const),
          compileKernels(build, true).then((path) => [`${build}ByRow`, path] as const),
        ]),
      );
      const read = this.environment.config.consumer === 'client' ? fetching(files) : reading(files);
      return read + probing(readFileSync(await compileProbe()));
    },
  };
}

type Files = readonly (readonly [build: string, path: string])[];

const fetching = (files: Files): string => `
import { assetURL } from ${JSON.stringify(join(import.meta.dirname, '../../src/core/platform/asset-url.ts'))};
${files.map(([build, path]) => `import ${build} from ${JSON.stringify(`${path}?url&no-inline`)};`).join('\n')}
const addresses = { ${files.map(([build]) => build).join(', ')} };
export async function readKernels(build, isByRow) {
  const response = await fetch(assetURL(addresses[isByRow ? build + 'ByRow' : build], import.meta.url));
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
