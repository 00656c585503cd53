import type { LaunchOptions } from 'playwright';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { findChromium } from '../../src/serve/find-chromium.js';

const MISSING = "browserType.launch: Executable doesn't exist at /none\nRun: npx playwright install";
const launched: LaunchOptions[] = [];
const existing = new Set<string>();

vi.mock('playwright', () => ({
  chromium: {
    launch: async (options: LaunchOptions) => {
      launched.push(options);
      if (options.executablePath === undefined) throw new Error(MISSING);
      return { options };
    },
  },
}));
vi.mock('node:fs', () => ({ existsSync: (path: string) => existing.has(path) }));

const { launchChromium } = await import('../../src/serve/launch-chromium.js');

beforeEach(() => {
  launched.length = 0;
  existing.clear();
  vi.stubEnv('CHROMIUM', '/opt/mine/chrome');
});

describe('the browser of the command line', () => {
  it('is one that is installed where Playwright has none', async () => {
    existing.add('/opt/mine/chrome');
    expect(await launchChromium()).toMatchObject({ sandbox: true });
    expect(launched.at(-1)).toMatchObject({ executablePath: '/opt/mine/chrome' });
  });

  it('is never another than the one that was named', async () => {
    existing.add('/opt/mine/chrome');
    await expect(launchChromium({ channel: 'chrome-beta' })).rejects.toThrow('has no Chromium here');
    await launchChromium({ executablePath: '/named' });
    expect(launched.at(-1)).toMatchObject({ executablePath: '/named' });
  });

  it('is asked for where there is none at all', async () => {
    await expect(launchChromium()).rejects.toThrow('npx playwright install chromium');
  });
});

it.each<[NodeJS.Platform, NodeJS.ProcessEnv, string]>([
  ['linux', {}, '/usr/bin/chromium'],
  ['linux', {}, '/usr/bin/google-chrome'],
  ['darwin', { HOME: '/Users/ada' }, '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
  ['win32', { LOCALAPPDATA: 'C:\\local' }, 'C:\\local\\Google\\Chrome\\Application\\chrome.exe'],
  ['linux', { CHROMIUM: '/mine' }, '/mine'],
])('a browser on %s is found (%j)', (platform, environment, path) => {
  expect(findChromium(platform, environment, (each) => each === path)).toBe(path);
  expect(findChromium(platform, environment, () => false)).toBeUndefined();
});
