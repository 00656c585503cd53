/** Finds a Chrome or Chromium that is installed, for machines where Playwright has none of its own. @module */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const WINDOWS_CHROME = 'Google\\Chrome\\Application\\chrome.exe';

/** Where browsers are, by platform: Chromium before Chrome, the quickest first. */
const PATHS: Partial<Record<NodeJS.Platform, (environment: NodeJS.ProcessEnv) => string[]>> = {
  linux: () => [
    '/usr/lib/chromium/chromium-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/snap/bin/chromium',
    '/usr/bin/google-chrome-stable',
    '/usr/bin/google-chrome',
    '/opt/google/chrome/chrome',
  ],
  darwin: ({ HOME = '' }) =>
    ['/Applications', join(HOME, 'Applications')].flatMap((folder) => [
      `${folder}/Chromium.app/Contents/MacOS/Chromium`,
      `${folder}/Google Chrome.app/Contents/MacOS/Google Chrome`,
    ]),
  win32: (environment) =>
    ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap((name) =>
      environment[name] === undefined ? [] : [`${environment[name]}\\${WINDOWS_CHROME}`],
    ),
};

/**
 * The executable of a browser that is installed; undefined: there is none. With the variable `CHROMIUM` it is that or none.
 * @param isThere whether there is a file
 */
export function findChromium(
  platform: NodeJS.Platform = process.platform,
  environment: NodeJS.ProcessEnv = process.env,
  isThere: (path: string) => boolean = existsSync,
): string | undefined {
  const { CHROMIUM: named } = environment;
  const paths = named ? [named] : (PATHS[platform]?.(environment) ?? []);
  return paths.find((path) => isThere(path));
}
