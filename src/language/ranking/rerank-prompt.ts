/** Prompts of language models that judge a document with one word, as their publishers wrote them. @module */
import { JUDGE_PROMPTS, type JudgePromptName } from '../../core/models/judge-prompts.js';

/** A prompt in pieces that are tokenized one by one. */
interface JudgePrompt {
  /** Before the piece with the document. */
  before: readonly string[];
  /** How the piece with the document begins. */
  lead: string;
  after: readonly string[];
}

/** How a model is asked. */
export interface RerankPrompt {
  /** What it says of a document that is relevant. */
  yes: string;
  no: string;
  promptOf(query: string): JudgePrompt;
}

const QWEN3_RERANKER: RerankPrompt = {
  yes: 'yes',
  no: 'no',
  promptOf: (query) => ({
    before: [
      '<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the Instruct provided. Note that the answer can only be "yes" or "no".<|im_end|>\n<|im_start|>user\n',
    ],
    lead: `<Instruct>: Given a web search query, retrieve relevant passages that answer the query\n<Query>: ${query}\n<Document>: `,
    after: ['<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n'],
  }),
};

const MXBAI_RERANK_V2: RerankPrompt = {
  yes: '1',
  no: '0',
  promptOf: (query) => ({
    before: [
      '<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\n<|im_start|>user\n',
      `query: ${query}`,
      '\n',
    ],
    lead: 'document: ',
    after: [
      '\n',
      'You are a search relevance expert who evaluates how well documents match search queries. For each query-document pair, carefully analyze the semantic relationship between them, then provide your binary relevance judgment (0 for not relevant, 1 for relevant).\nRelevance:',
      '<|im_end|>\n<|im_start|>assistant\n',
    ],
  }),
};

interface KnownJudge {
  prompt: RerankPrompt;
  /** The architecture that the model was published with. */
  architecture: string;
  /** The name of it and of models that were made from it. */
  name: RegExp;
  /** What its own chat template says. */
  sentence: string;
}

const JUDGES: Readonly<Record<JudgePromptName, KnownJudge>> = {
  'qwen3-reranker': {
    prompt: QWEN3_RERANKER,
    architecture: 'qwen3',
    name: /qwen-?3[-_ .]?rerank/i,
    sentence: 'Judge whether the Document meets the requirements based on the Query and the Instruct provided',
  },
  'mxbai-rerank-v2': {
    prompt: MXBAI_RERANK_V2,
    architecture: 'qwen2',
    name: /mxbai[-_ .]?rerank/i,
    sentence: 'You are a search relevance expert who evaluates how well documents match search queries',
  },
};

/** What of a language model may tell how it is asked. */
export interface JudgeSigns {
  /** `model_type` of a config, or the architecture of a GGUF file. */
  architecture: string;
  /** Names of the model and of its files. */
  names: readonly (string | undefined)[];
  /** Its chat templates; one of a model that is not trained to rank says nothing of it. */
  templates: readonly (string | undefined)[];
}

/**
 * How a language model is asked. Models of one architecture were trained with different prompts, so the architecture
 * alone tells nothing.
 * @param named by its entry @returns undefined when neither entry, name nor files tell it
 */
export function rerankPromptFor(named: JudgePromptName | undefined, signs: JudgeSigns): RerankPrompt | undefined {
  if (named !== undefined) return JUDGES[named].prompt;
  const { architecture, names, templates } = signs;
  const found = Object.values(JUDGES).find(
    (judge) =>
      templates.some((template) => template?.includes(judge.sentence)) ||
      (judge.architecture === architecture && names.some((name) => name !== undefined && judge.name.test(name))),
  );
  return found?.prompt;
}

/** Why a language model whose prompt is not known cannot rank; ends a sentence. */
export function unknownJudge(architecture: string): string {
  const known = JUDGE_PROMPTS.map((name) => `\`${name}\``).join(' or ');
  return (
    `it is a language model (\`${architecture}\`), and neither its name nor its files say with which prompt it was trained ` +
    `to rank. If it is based on a known model, set \`judgePrompt\` in its entry to ${known}`
  );
}
