/** Prompts of language models that judge a document with one word, as their publishers wrote them. @module */

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

const JUDGES: Readonly<Record<string, RerankPrompt>> = { qwen3: QWEN3_RERANKER, qwen2: MXBAI_RERANK_V2 };

/** Names of models, by the architecture that they have. */
const NAMES: Readonly<Record<string, RegExp>> = {
  qwen3: /qwen-?3[-_ .]?rerank/i,
  qwen2: /mxbai[-_ .]?rerank/i,
};

/** How a language model is asked whose files say no more than its name; undefined: it is not one that is known. */
export function rerankPromptByName(architecture: string, names: readonly string[]): RerankPrompt | undefined {
  const pattern = Object.hasOwn(NAMES, architecture) ? NAMES[architecture] : undefined;
  return pattern && names.some((name) => pattern.test(name)) ? JUDGES[architecture] : undefined;
}

/** How a language model is asked; undefined: it has a classification head, or its prompt is not known. */
export function rerankPromptFor(config: unknown): RerankPrompt | undefined {
  const { architectures = [], model_type: type = '' } = (config ?? {}) as {
    architectures?: readonly string[];
    model_type?: string;
  };
  return architectures.some((name) => name.endsWith('ForCausalLM')) ? JUDGES[type] : undefined;
}
