/** How programs are pointed at a running service, by their public documentation. @module */
import { shellQuoted } from './shell-quoted.js';

/** The service as a program must know it. No text has a line feed or another control character. */
export interface ProgramConnection {
  /** Ends with `/v1`. */
  baseURL: string;
  key: string;
  model: string;
  /** Tokens. Undefined: not known, because the model was not loaded; then nothing is written about it. */
  contextLength: number | undefined;
}

/** A configuration file. */
export interface ConfigurationFile {
  /** Below the home folder. */
  path: string;
  /** An object is JSON. */
  content: string | Record<string, unknown>;
}

/** What a program needs, beside a command that starts it. */
export interface ProgramSetup {
  environment?: Record<string, string>;
  file?: ConfigurationFile;
  /** What else is to be done. */
  note?: string;
}

// TOML and YAML read strings of JSON as they are, as long as these have no control characters.
const quoted = (text: string): string => JSON.stringify(text);
const rootOf = (baseURL: string): string => baseURL.replace(/\/v1$/, '');

/** By the name on the command line. */
export const PROGRAMS: Record<string, (connection: ProgramConnection) => ProgramSetup> = {
  'claude-code': ({ baseURL, key, model, contextLength }) => {
    const env = {
      ANTHROPIC_BASE_URL: rootOf(baseURL),
      ANTHROPIC_AUTH_TOKEN: key,
      ANTHROPIC_MODEL: model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      ...(contextLength !== undefined && { CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(contextLength) }),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    };
    return { environment: env, file: { path: '.claude/settings.json', content: { env } } };
  },
  codex: ({ baseURL, key, model, contextLength }) => ({
    environment: { INPAGE_API_KEY: key },
    file: {
      path: '.codex/config.toml',
      content: `model = ${quoted(model)}
model_provider = "inpage"
${contextLength === undefined ? '' : `model_context_window = ${contextLength}\n`}
[model_providers.inpage]
name = "inpage"
base_url = ${quoted(baseURL)}
env_key = "INPAGE_API_KEY"
wire_api = "responses"
`,
    },
  }),
  cline: ({ baseURL, key, model }) => ({
    note: `In Cline's settings choose the API provider "OpenAI Compatible", then
  Base URL   ${baseURL}
  API Key    ${key}
  Model ID   ${model}
Its command line takes this:
  cline auth -p openai-compatible -b ${shellQuoted(baseURL)} -k ${shellQuoted(key)} -m ${shellQuoted(model)}
  cline -P openai-compatible -m ${shellQuoted(model)}`,
  }),
  continue: ({ baseURL, key, model, contextLength }) => ({
    file: {
      path: '.continue/config.yaml',
      content: `name: inpage
version: 0.0.1
schema: v1
models:
  - name: ${quoted(model)}
    provider: openai
    model: ${quoted(model)}
    apiBase: ${quoted(baseURL)}
    apiKey: ${quoted(key)}
    roles: [chat, edit, apply]
    capabilities: [tool_use]
${contextLength === undefined ? '' : `    defaultCompletionOptions:\n      contextLength: ${contextLength}\n`}`,
    },
  }),
  goose: ({ baseURL, key, model, contextLength }) => ({
    environment: {
      GOOSE_PROVIDER: 'openai',
      GOOSE_MODEL: model,
      ...(contextLength !== undefined && { GOOSE_CONTEXT_LIMIT: String(contextLength) }),
      OPENAI_HOST: rootOf(baseURL),
      OPENAI_API_KEY: key,
    },
  }),
  opencode: ({ baseURL, key, model, contextLength }) => ({
    file: {
      path: '.config/opencode/opencode.json',
      content: {
        $schema: 'https://opencode.ai/config.json',
        model: `inpage/${model}`,
        provider: {
          inpage: {
            npm: '@ai-sdk/openai-compatible',
            name: 'inpage',
            options: { baseURL, apiKey: key },
            models: {
              [model]: {
                name: model,
                ...(contextLength !== undefined && {
                  limit: { context: contextLength, output: Math.min(contextLength, 8192) },
                }),
              },
            },
          },
        },
      },
    },
  }),
  pi: ({ baseURL, key, model, contextLength }) => ({
    file: {
      path: '.pi/agent/models.json',
      content: {
        providers: {
          inpage: {
            baseUrl: baseURL,
            apiKey: key,
            api: 'openai-completions',
            models: [
              {
                id: model,
                ...(contextLength !== undefined && {
                  contextWindow: contextLength,
                  maxTokens: Math.min(contextLength, 8192),
                }),
              },
            ],
          },
        },
      },
    },
    note: `Start it with: pi --provider inpage --model ${shellQuoted(model)}`,
  }),
  'qwen-code': ({ baseURL, key, model, contextLength }) => ({
    file: {
      path: '.qwen/settings.json',
      content: {
        env: { INPAGE_API_KEY: key },
        modelProviders: {
          openai: [
            {
              id: model,
              name: model,
              envKey: 'INPAGE_API_KEY',
              baseUrl: baseURL,
              ...(contextLength !== undefined && { generationConfig: { contextWindowSize: contextLength } }),
            },
          ],
        },
        security: { auth: { selectedType: 'openai' } },
        model: { name: model },
      },
    },
  }),
  aider: ({ baseURL, key, model }) => ({
    file: {
      path: '.aider.conf.yml',
      content: `openai-api-base: ${quoted(baseURL)}
openai-api-key: ${quoted(key)}
model: ${quoted(`openai/${model}`)}
`,
    },
  }),
  'open-webui': ({ baseURL, key }) => ({
    environment: { OPENAI_API_BASE_URL: baseURL, OPENAI_API_KEY: key },
  }),
  zed: ({ baseURL, key, model, contextLength }) => ({
    environment: { INPAGE_API_KEY: key },
    file: {
      path: '.config/zed/settings.json',
      content: {
        language_models: {
          openai_compatible: {
            inpage: {
              api_url: baseURL,
              available_models: [
                { name: model, display_name: model, ...(contextLength !== undefined && { max_tokens: contextLength }) },
              ],
            },
          },
        },
      },
    },
  }),
};
