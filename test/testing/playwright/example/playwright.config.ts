import { existsSync } from 'node:fs';
import { defineConfig } from 'playwright/test';

const executablePath = process.env['CHROMIUM'] ?? (existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : undefined);

export default defineConfig({
  testDir: '.',
  testMatch: '*.example.ts',
  outputDir: '../../../../test-results/playwright',
  // Each file in a worker of its own, side by side.
  workers: 2,
  // A busy machine may need longer than the five seconds that are Playwright's own.
  timeout: 100_000,
  expect: { timeout: 30_000 },
  reporter: 'json',
  use: {
    baseURL: process.env['APP_URL']!,
    launchOptions: {
      ...(executablePath ? { executablePath } : {}),
      args: ['--no-sandbox', '--disable-background-networking', '--no-first-run'],
    },
  },
});
