/** Real Chromium for tests and scripts: Debian's when it is there, else playwright's own. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright';

/** WebGPU on the CPU: slow but true. */
export const SWIFTSHADER = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan'];

/** Where that is; undefined: where playwright put its own. */
export const executablePath =
  process.env['CHROMIUM'] ?? (existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : undefined);
/** The same for Playwright's launch options. */
export const CHROMIUM = executablePath ? { executablePath } : {};

/** What it is always started with. */
export const CHROMIUM_ARGUMENTS = ['--no-sandbox', '--disable-background-networking', '--no-first-run'];

/** @param args more command-line arguments, e.g. {@link SWIFTSHADER} */
export function launchChromium(args: string[] = []): Promise<Browser> {
  return chromium.launch({
    ...CHROMIUM,
    args: [...CHROMIUM_ARGUMENTS, ...args],
  });
}
