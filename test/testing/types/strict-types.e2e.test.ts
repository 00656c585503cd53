/** The declarations of the built package, as an app sees them that checks its libraries with every strict flag. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, string | Record<string, unknown>>;
};
/** What an app can import with types. */
const ENTRIES = Object.entries(exports).flatMap(([name, target]) =>
  typeof target === 'object' ? [join('inpage', name)] : [],
);

const STRICT = {
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noImplicitOverride: true,
  noPropertyAccessFromIndexSignature: true,
  noUncheckedIndexedAccess: true,
  noUncheckedSideEffectImports: true,
  isolatedModules: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  preserveSymlinks: true,
  module: 'nodenext',
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
  types: [],
};

/** An entry with a mistake in a field: the compiler's message names the field. */
const MISTAKES = [
  `{ id: 'x', task: 'embeddings', backend: 'transformers', source: 'a/b', pooling: 42 }`,
  `{ id: 'x', task: 'chat', backend: 'transformers', source: 'a/b', device: 'gpu' }`,
  `{ id: 'x', task: 'chat', backend: 'gguf', source: 'a/b', dtype: 'q4' }`,
  `{ id: 'x', task: 'chat', backend: 'scripted' }`,
];

let app: string;

beforeAll(() => {
  app = mkdtempSync(join(tmpdir(), 'inpage-types-'));
  mkdirSync(join(app, 'node_modules'));
  symlinkSync(root, join(app, 'node_modules/inpage'));
  for (const name of ['@types', '@playwright', 'playwright', 'playwright-core', 'react', 'vite', 'vue', '@vue'])
    symlinkSync(join(root, 'node_modules', name), join(app, 'node_modules', name));
  writeFileSync(join(app, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions: STRICT, files: ['app.ts'] }));
});
afterAll(() => rmSync(app, { recursive: true }));

/** What the compiler says of the app and of our declarations; what those of other packages lack is theirs. */
function problemsOf(code: string): string[] {
  writeFileSync(join(app, 'app.ts'), code);
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout, status } = spawnSync(process.execPath, [tsc, '--pretty', 'false'], { cwd: app, encoding: 'utf8' });
  expect(status).not.toBeNull();
  return stdout.split('\n').filter((line) => /^(app\.ts|node_modules\/inpage\/)/.test(line));
}

it('all declarations compile', () => {
  const code = ENTRIES.map((name, index) => `import * as entry${index} from '${name}';\nvoid entry${index};\n`).join(
    '',
  );
  expect(ENTRIES).toContain('inpage/test-server');
  expect(problemsOf(code)).toEqual([]);
});

it('mistakes in an entry are found, and a right one is taken', () => {
  const use = (entry: string): string => `void startInference({ models: [${entry}] });\n`;
  const head = `import { startInference } from 'inpage';\n`;
  const expected = MISTAKES.map((entry) => `// @ts-expect-error -- that is the mistake\n${use(entry)}`).join('');
  const right = use(`{ id: 'x', task: 'embeddings', backend: 'transformers', source: 'a/b', pooling: 'cls' }`);
  expect(problemsOf(head + expected + right)).toEqual([]);
});
