import { defineConfig } from '@playwright/test';
import type { InferenceFixtures } from 'inpage/playwright';

const port = 5173;
const baseURL = `http://localhost:${port}`;

export default defineConfig<InferenceFixtures>({
  testDir: 'tests',
  webServer: {
    command: `npm run dev -- --port ${port} --strictPort`,
    url: baseURL,
    reuseExistingServer: !process.env.CI,
  },
  use: {
    baseURL,
    inferenceOptions: {
      models: [
        {
          id: 'gpt-5',
          task: 'chat',
          backend: 'scripted',
          script: { replies: [{ match: 'France', text: 'Paris.' }] },
        },
      ],
    },
  },
});
