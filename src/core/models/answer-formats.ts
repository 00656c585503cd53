/**
 * Names of the syntaxes in which models write tool calls and thinking. Public: catalog entries and `status()` name them.
 * The syntax of each is a family of `model/families/`.
 * @module
 */

export const TOOL_FORMATS = [
  'apertus',
  'command-r',
  'command-r7b',
  'deepseek',
  'deepseek-v3.1',
  'deepseek-v3.2',
  'functionary',
  'functiongemma',
  'gemma4',
  'gigachat3',
  'gigachat3.1',
  'glm-4.5',
  'granite',
  'granite-20b',
  'harmony',
  'hermes',
  'hunyuan',
  'internlm2',
  'json-list',
  'kimi-k2',
  'lfm2',
  'llama3',
  'longcat',
  'minicpm',
  'minimax-m2',
  'mistral',
  'nemotron',
  'nemotron-mini',
  'none',
  'olmo3',
  'phi4-mini',
  'pythonic',
  'qwen3-coder',
  'seed-oss',
  'step3',
] as const;

export const REASONING_FORMATS = [
  'apertus',
  'apriel',
  'cohere2-moe',
  'command-r7b',
  'exaone-deep',
  'functionary',
  'gemma4',
  'granite',
  'granite-3.3',
  'harmony',
  'hunyuan',
  'longcat',
  'minicpm',
  'minimax-m2',
  'none',
  'seed-oss',
  'think-brackets',
  'think-tags',
] as const;

/** How a model writes tool calls. */
export type ToolFormat = (typeof TOOL_FORMATS)[number];

/** How a model writes its thoughts. */
export type ReasoningFormat = (typeof REASONING_FORMATS)[number];
