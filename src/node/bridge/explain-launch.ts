/** Why a browser did not start. @module */
import { existsSync } from 'node:fs';

/**
 * Playwright's message is a page long, and its first line says little.
 * @param path the executable, where the caller named one
 */
export function explainLaunch(thrown: unknown, path: string | undefined): Error {
  return new Error(reasonOf(thrown instanceof Error ? thrown.message : String(thrown), path), { cause: thrown });
}

function reasonOf(message: string, path: string | undefined): string {
  if (path !== undefined && !existsSync(path)) {
    return `There is no browser at ${path}. Check \`--chromium\` (\`launch.executablePath\`).`;
  }
  if (/Executable doesn't exist|playwright install/.test(message)) {
    return 'Playwright has no Chromium here. Run `npx playwright install chromium`, or name one that is installed with `--chromium PATH` (`launch.executablePath`).';
  }
  if (/missing dependencies|shared libraries/.test(message)) {
    return 'Chromium lacks libraries of the system. Run `npx playwright install-deps chromium`.';
  }
  return `Chromium did not start. ${message.split('\n', 1)[0]}`;
}
