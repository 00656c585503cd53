/** Compiles the kernels of the GGUF engine (`src/engines/gguf/kernels/`) from AssemblyScript to wasm. @module */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { KernelBuild } from './arithmetic.js';
import { tilesOf } from './tiles.js';

const ROOT = join(import.meta.dirname, '../..');
const KERNELS = join(ROOT, 'src/engines/gguf/kernels');
const CACHE = join(ROOT, '.cache/gguf-kernels');

/** All there are. */
export const KERNEL_BUILDS: readonly KernelBuild[] = ['relaxed', 'pairs', 'plain'];

/**
 * Passes of Binaryen, in their order. Those of `-O3` move each product to where its sum is used (`simplify-locals`): then a
 * tile computes its sums one after the other, where it is written so that eight are under way. Passes of eight rows took up to
 * 1.4 times as long.
 */
const PASSES = [
  'inlining-optimizing',
  'dce',
  'remove-unused-names',
  'remove-unused-brs',
  'optimize-instructions',
  'precompute',
  'coalesce-locals',
  'vacuum',
  'reorder-locals',
  'merge-blocks',
  'remove-unused-module-elements',
];
const OPTIMISATION = ['-O0', '--runPasses', PASSES.join(','), '--noAssert', '--runtime', 'stub', '--use', 'abort='];
/** The memory is the page's: shared between threads where the page is isolated. */
const MEMORY = ['--importMemory', '--initialMemory', '1', '--maximumMemory', '65536'];

/** What is used of the compiler. Its own types would replace those of `Array` and others in the whole project. */
interface Compiler {
  main: (
    parameters: readonly string[],
    files: {
      readFile: (name: string) => string | null;
      writeFile: (name: string, content: Uint8Array) => void;
      listFiles: () => string[];
    },
  ) => Promise<{ error: Error | null; stderr: { toString: () => string } }>;
}

/** Loaded only when there is something to compile: it takes a second. */
const COMPILER: string = 'assemblyscript/asc';
const { version: COMPILER_VERSION } = JSON.parse(
  readFileSync(join(ROOT, 'node_modules/assemblyscript/package.json'), 'utf8'),
) as { version: string };

/** The program's own files by name, with those that are made for a build. */
function sourcesOf(build: KernelBuild, isByRow: boolean): Map<string, string> {
  const files = readdirSync(KERNELS).filter((name) => /(?<!\.d)\.ts$/.test(name));
  const flag = (name: string, value: boolean): string => `export const ${name}: bool = ${value};\n`;
  return new Map([
    ...files.map((name) => [name, readFileSync(join(KERNELS, name), 'utf8')] as const),
    [
      'build.ts',
      flag('RELAXED', build !== 'plain') + flag('PAIRS', build === 'pairs') + flag('PLAIN', build === 'plain'),
    ],
    ['tiles.ts', tilesOf(build, isByRow)],
    ['by-row.ts', "export { multiplyByRow } from './tiles';\n"],
  ]);
}

/**
 * Makes the file of a build unless it was made from the same sources before.
 * @param isByRow with the products for older V8 (see `isFasterByRow`), which browsers need not fetch
 * @returns its path; the name is `gguf-<build>.wasm` or `gguf-<build>-by-row.wasm`
 * @throws Error with what the compiler says
 */
export async function compileKernels(build: KernelBuild, isByRow: boolean): Promise<string> {
  const features = ['--enable', build === 'plain' ? 'simd' : 'simd,relaxed-simd'];
  const entries = isByRow ? ['index.ts', 'by-row.ts'] : ['index.ts'];
  const name = `gguf-${build}${isByRow ? '-by-row' : ''}.wasm`;
  return compile(name, sourcesOf(build, isByRow), [...entries, ...OPTIMISATION, ...MEMORY, ...features]);
}

/** The program that finds out which build is the best one. @returns its path */
export async function compileProbe(): Promise<string> {
  const source = readFileSync(join(KERNELS, 'probe.ts'), 'utf8');
  const parameters = ['probe.ts', ...OPTIMISATION, '--noExportMemory', '--enable', 'simd,relaxed-simd'];
  return compile('gguf-probe.wasm', new Map([['probe.ts', source]]), parameters);
}

async function compile(
  name: string,
  sources: ReadonlyMap<string, string>,
  options: readonly string[],
): Promise<string> {
  const key = JSON.stringify([COMPILER_VERSION, options, ...sources]);
  const folder = join(CACHE, createHash('sha256').update(key).digest('hex').slice(0, 16));
  const path = join(folder, name);
  if (existsSync(path)) return path;
  let wasm: Uint8Array | undefined;
  const { main } = (await import(COMPILER)) as Compiler;
  const { error, stderr } = await main([...options, '--outFile', name], {
    readFile: (file) => sources.get(basename(file)) ?? null,
    writeFile: (_, content) => {
      wasm = content;
    },
    listFiles: () => [],
  });
  if (error || !wasm)
    throw new Error(`The kernels' file ${name} failed:\n${String(stderr).slice(0, 2_000)}`, { cause: error });
  mkdirSync(folder, { recursive: true });
  // Several processes may do this at the same time.
  const written = `${path}.${process.pid}`;
  writeFileSync(written, wasm);
  renameSync(written, path);
  return path;
}
