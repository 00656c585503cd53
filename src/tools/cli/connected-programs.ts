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
  /** Ids of its models for other tasks, where it has some. */
  models: Readonly<Partial<Record<'embeddings' | 'transcription' | 'speech', string>>>;
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
  copilot: ({ baseURL, key, model, contextLength }) => {
    const output = Math.min(Math.floor((contextLength ?? 0) / 4), 8192);
    return {
      environment: {
        COPILOT_PROVIDER_BASE_URL: baseURL,
        COPILOT_PROVIDER_API_KEY: key,
        COPILOT_MODEL: model,
        ...(contextLength !== undefined && {
          COPILOT_PROVIDER_MAX_PROMPT_TOKENS: String(contextLength - output),
          COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: String(output),
        }),
        // Without it the program also talks to GitHub.
        COPILOT_OFFLINE: 'true',
      },
    };
  },
  goose: ({ baseURL, key, model, contextLength }) => ({
    environment: {
      GOOSE_PROVIDER: 'openai',
      GOOSE_MODEL: model,
      ...(contextLength !== undefined && { GOOSE_CONTEXT_LIMIT: String(contextLength) }),
      OPENAI_HOST: rootOf(baseURL),
      OPENAI_API_KEY: key,
    },
  }),
  'grok-cli': ({ baseURL, key, model }) => ({
    environment: { GROK_BASE_URL: baseURL, GROK_API_KEY: key, GROK_MODEL: model },
  }),
  nanocoder: ({ baseURL, key, model, contextLength }) => ({
    file: {
      path: '.config/nanocoder/agents.config.json',
      content: {
        nanocoder: {
          providers: [
            {
              name: 'inpage',
              baseUrl: baseURL,
              apiKey: key,
              models: [model],
              ...(contextLength !== undefined && { contextWindow: contextLength }),
            },
          ],
        },
      },
    },
    note: `Start it with: nanocoder --provider inpage --model ${shellQuoted(model)}`,
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
  aider: ({ baseURL, key, model, contextLength }) => ({
    file: {
      path: '.aider.conf.yml',
      // Whole files are what small models write best.
      content: `openai-api-base: ${quoted(baseURL)}
openai-api-key: ${quoted(key)}
model: ${quoted(`openai/${model}`)}
edit-format: whole
`,
    },
    ...(contextLength !== undefined && {
      note: `Without this it asks no one how long a prompt may be. In ~/.aider.model.metadata.json:
${JSON.stringify(
  {
    [`openai/${model}`]: {
      max_input_tokens: contextLength,
      max_output_tokens: Math.min(contextLength, 8192),
      litellm_provider: 'openai',
      mode: 'chat',
    },
  },
  null,
  2,
)}`,
    }),
  }),
  python: ({ baseURL, key, model }) => ({
    // What the packages openai and anthropic read, and most that stand on them.
    environment: {
      OPENAI_BASE_URL: baseURL,
      OPENAI_API_KEY: key,
      ANTHROPIC_BASE_URL: rootOf(baseURL),
      ANTHROPIC_API_KEY: key,
    },
    note: `In Python:
  from openai import OpenAI
  OpenAI().chat.completions.create(model=${quoted(model)}, messages=[{"role": "user", "content": "Hi"}])`,
  }),
  litellm: ({ baseURL, key, model }) => ({
    environment: { OPENAI_API_BASE: baseURL, OPENAI_API_KEY: key },
    file: {
      path: 'litellm.yaml',
      content: `model_list:
  - model_name: ${quoted(model)}
    litellm_params:
      model: ${quoted(`openai/${model}`)}
      api_base: ${quoted(baseURL)}
      api_key: ${quoted(key)}
`,
    },
    note: `The file is for the proxy: litellm --config ~/litellm.yaml
In Python: litellm.completion(model=${quoted(`openai/${model}`)}, messages=…)`,
  }),
  llm: ({ baseURL, key, model }) => ({
    file: {
      path: '.config/io.datasette.llm/extra-openai-models.yaml',
      content: `- model_id: ${quoted(model)}
  model_name: ${quoted(model)}
  api_base: ${quoted(baseURL)}
  supports_tools: true
  supports_schema: true
`,
    },
    note: `Start it with: llm -m ${shellQuoted(model)} --key ${shellQuoted(key)} 'Hi'
On macOS the file belongs below ~/Library/Application Support/io.datasette.llm; \`llm logs path\` names the folder.`,
  }),
  'open-webui': ({ baseURL, key, models }) => {
    const { embeddings, transcription, speech } = models;
    const ofOpenAI = (prefix: string) => ({ [`${prefix}_BASE_URL`]: baseURL, [`${prefix}_KEY`]: key });
    return {
      environment: {
        OPENAI_API_BASE_URL: baseURL,
        OPENAI_API_KEY: key,
        ...(embeddings !== undefined && {
          RAG_EMBEDDING_ENGINE: 'openai',
          RAG_EMBEDDING_MODEL: embeddings,
          ...ofOpenAI('RAG_OPENAI_API'),
        }),
        ...(transcription !== undefined && {
          AUDIO_STT_ENGINE: 'openai',
          AUDIO_STT_MODEL: transcription,
          ...ofOpenAI('AUDIO_STT_OPENAI_API'),
        }),
        ...(speech !== undefined && {
          AUDIO_TTS_ENGINE: 'openai',
          AUDIO_TTS_MODEL: speech,
          ...ofOpenAI('AUDIO_TTS_OPENAI_API'),
        }),
      },
      ...(embeddings !== undefined && {
        note: `Its texts may be longer than ${embeddings} reads: give the entry of that model \`truncate: true\`.`,
      }),
    };
  },
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
