// Lints the kernels, which are AssemblyScript: oxlint reads them as TypeScript once `@inline` is blanked out, which has no place there.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const kernels = join(root, 'src/engines/gguf/kernels');
const folder = mkdtempSync(join(tmpdir(), 'inpage-kernels-'));
try {
  for (const name of readdirSync(kernels).filter((file) => /(?<!\.d)\.ts$/.test(file))) {
    // Lines and columns stay.
    const source = readFileSync(join(kernels, name), 'utf8').replaceAll(/^@inline/gm, (word) =>
      ' '.repeat(word.length),
    );
    writeFileSync(join(folder, name), source);
  }
  const config = {
    plugins: ['typescript', 'import', 'unicorn', 'oxc'],
    categories: { correctness: 'error', suspicious: 'error' },
    rules: {
      'import/no-cycle': ['error', { ignoreTypes: false }],
      'no-shadow': 'off',
      // A constant of 32 bits is written with as many digits as it has.
      'oxc/approx-constant': 'off',
    },
  };
  writeFileSync(join(folder, '.oxlintrc.json'), JSON.stringify(config));
  const oxlint = join(root, 'node_modules/oxlint/bin/oxlint');
  const { status } = spawnSync(process.execPath, [oxlint], { cwd: folder, stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
