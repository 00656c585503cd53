/** Which Chromium the tests and scripts start, and how. @module */
import { existsSync } from 'node:fs';

const firstOf = (...paths: string[]): string | undefined =>
  process.env['CHROMIUM'] ?? paths.find((path) => existsSync(path));

/** Debian's browser; undefined: where playwright put its own. */
export const wholeBrowser = firstOf('/usr/bin/chromium');

/**
 * The same engine without windows, where it is: it needs a third of the processor time for each page, and has no
 * back/forward cache.
 */
export const executablePath = firstOf('/usr/lib/chromium/chromium-headless-shell', '/usr/bin/chromium');
/** The same for Playwright's launch options. */
export const CHROMIUM = executablePath ? { executablePath } : {};

/** What it is always started with. */
export const CHROMIUM_ARGUMENTS = ['--no-sandbox', '--disable-background-networking', '--no-first-run'];

/**
 * V8's budget for WebAssembly that is not optimised yet; its own is a hundredth. A test runs a model for a moment, and
 * optimising ONNX Runtime takes longer than what it gains there.
 */
export const LATE_WASM_TIER_UP = '--wasm-tiering-budget=150000000';

/** WebGPU on the CPU: slow but true. */
export const SWIFTSHADER = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan'];

/** WebGPU on the machine's own GPU. */
export const OWN_GPU = ['--enable-unsafe-webgpu', '--enable-features=Vulkan'];
/** The same where a driver of NVIDIA is and no display: https://developer.chrome.com/blog/supercharge-web-ai-testing */
export const OWN_GPU_NO_DISPLAY = [
  ...OWN_GPU,
  '--use-angle=vulkan',
  '--disable-vulkan-surface',
  '--ignore-gpu-blocklist',
];
