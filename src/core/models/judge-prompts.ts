/** Prompts that language models were trained to judge documents with, by the models that were published with them. @module */
export const JUDGE_PROMPTS = ['qwen3-reranker', 'mxbai-rerank-v2'] as const;

/** Names of prompts that make a language model a judge: `judgePrompt` of an entry. */
export type JudgePromptName = (typeof JUDGE_PROMPTS)[number];
