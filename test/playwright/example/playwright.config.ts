import { existsSync } from 'node:fs';
import { defineConfig } from 'playwright/test';

const executablePath = process.env['CHROMIUM'] ?? (existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : undefined);

export default defineConfig({
  testDir: '.',
  testMatch: '*.example.ts',
  outputDir: '../../../test-results/playwright',
  workers: 1,
  reporter: 'json',
  use: {
    baseURL: process.env['APP_URL']!,
    launchOptions: {
      ...(executablePath ? { executablePath } : {}),
      args: ['--no-sandbox', '--disable-background-networking', '--no-first-run'],
    },
  },
});
