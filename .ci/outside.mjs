// What `npm run outside -- NAME` runs. What they need beside this repository they install, or name when it is missing.

const script = (file) => ['node', '.ci/run-ts.mjs', file];

/** By name: what it does, its command, and what is run before. */
export const OUTSIDE = {
  'app-servers': {
    does: 'a Next.js and a Hono app with `inpage/test-server/register`, asked from pages of two tests at a time',
    command: script('test/app-servers/run.ts'),
  },
  examples: {
    does: 'installs the packed library in each example and template and in apps that follow a guide, opens them',
    command: script('test/examples/run.ts'),
  },
  hub: {
    does: 'loads published models from the hub in Chromium, and compares their answers with what their cards say',
    command: script('test/hub/check-models.ts'),
  },
  neighbours: {
    does: 'the set-ups beside other Service Workers that the documents show, with MSW, vite-plugin-pwa and Workbox',
    before: [
      ['npm', 'ci', '--prefix', 'test/neighbours'],
      ['npm', 'run', 'build:library'],
    ],
    command: ['npx', 'vitest', 'run', '--config', 'test/neighbours/vitest.config.ts'],
  },
  openapi: {
    does: 'linters, generators of clients and schemathesis on `GET /openapi.json`, after a build; `--paths REGEX`: some paths',
    command: script('test/openapi-tools/run.ts'),
  },
  polyfill: {
    does: "compares `inpage/built-in-ai` with Google's polyfill, whose folder is `POLYFILL`, case by case",
    command: script('test/built-in-ai/compare-polyfill.ts'),
  },
  python: {
    does: 'programs in Python against `inpage serve`, after a build; `--write` renews their table',
    command: script('test/python/run.ts'),
  },
  templates: {
    does: "compares prompts with Python's Jinja2, for each chat template in the folder `CHAT_TEMPLATES`",
    command: script('test/templates/compare-templates.ts'),
  },
  tokenizers: {
    does: "compares token ids with Python's `tokenizers`, for 20,000 strings and a tokenizer of each kind",
    command: script('test/tokenizers/compare-tokenizers.ts'),
  },
  webllm: {
    does: 'real WebLLM with the model in a folder; `FOLDER --make LIBRARY.wasm` fills it with random weights first',
    command: script('test/web-llm/run.ts'),
  },
};
