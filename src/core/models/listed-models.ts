/**
 * Models of the Hugging Face Hub to begin with, for each engine. Each names where its sizes were read and when; classes and
 * architectures are those that the tables of the engines list as working. `npm run check:models` compares it with the hub.
 * @module
 */

/** A precision that a repository has: of ONNX files, of a GGUF file, or of WebLLM's weights. */
export type ListedDtype = 'q8' | 'q4' | 'q4f16' | 'fp16' | 'fp32' | 'Q4_K_M' | 'Q8_0' | 'q4f16_1';

/** A model of the list. */
export interface ListedModel {
  /** Hub id, or a name of WebLLM's list: the `source` of an entry. */
  source: string;
  /** What it does. */
  task: 'chat' | 'embeddings' | 'rerank' | 'speech-to-text' | 'text-to-speech';
  /** The engine that runs it. */
  backend: 'gguf' | 'transformers' | 'web-llm';
  /** `model_type` in its `config.json`, or `general.architecture` of its GGUF file. */
  modelType: string;
  /** What it is for, in a sentence. */
  overview: string;
  /** Natural languages that it was trained for. */
  languages: string;
  /** Megabytes (10^6 bytes) of weights to download, by precision. */
  megabytes: Readonly<Partial<Record<ListedDtype, number>>>;
  /** Of WebLLM's models: megabytes of GPU memory with a context of 4,096 tokens. */
  gpuMemoryMB?: number;
  /** Of GGUF repositories: the file, as an entry names it. */
  file?: string;
  /** Tokens; of speech models those of an answer to half a minute. 0: it has none. */
  contextLength: number;
  /** SPDX id or name. */
  license: string;
  /** Where the megabytes were read, and when (ISO 8601, to the month). */
  figures: { source: string; date: string };
}

const HUB_PAGES = 'file list of the repository';
const SAME_SHAPE = 'file list of a fine-tuned copy of the same shape';
const WEB_LLM_LIST = 'list of @mlc-ai/web-llm 0.2.86; the download is estimated from the parameters in the name';

/** @internal By task, the smallest first. */
export const LISTED_MODELS: readonly ListedModel[] = [
  {
    source: 'bartowski/SmolLM2-360M-Instruct-GGUF',
    task: 'chat',
    backend: 'gguf',
    modelType: 'llama',
    overview: 'Short answers and rewriting.',
    languages: 'English',
    megabytes: { Q4_K_M: 271 },
    file: '*Q4_K_M.gguf',
    contextLength: 8192,
    license: 'apache-2.0',
    figures: { source: SAME_SHAPE, date: '2025-03' },
  },
  {
    source: 'unsloth/gemma-3-270m-it-GGUF',
    task: 'chat',
    backend: 'gguf',
    modelType: 'gemma3',
    overview: 'Classifying, extracting and short answers; made to be fine-tuned.',
    languages: 'more than 140',
    megabytes: { Q8_0: 292 },
    file: '*Q8_0.gguf',
    contextLength: 32_768,
    license: 'gemma',
    figures: { source: SAME_SHAPE, date: '2025-09' },
  },
  {
    source: 'HuggingFaceTB/SmolLM2-360M-Instruct',
    task: 'chat',
    backend: 'transformers',
    modelType: 'llama',
    overview: 'Short answers and rewriting.',
    languages: 'English',
    megabytes: { q4: 417, q4f16: 299 },
    contextLength: 8192,
    license: 'apache-2.0',
    figures: { source: HUB_PAGES, date: '2025-09' },
  },
  {
    source: 'Qwen3-0.6B-q4f16_1-MLC',
    task: 'chat',
    backend: 'web-llm',
    modelType: 'qwen3',
    overview: 'Conversation, tools and thinking.',
    languages: 'more than 100',
    megabytes: { q4f16_1: 342 },
    gpuMemoryMB: 1403,
    contextLength: 4096,
    license: 'apache-2.0',
    figures: { source: WEB_LLM_LIST, date: '2026-11' },
  },
  {
    source: 'unsloth/Qwen3-0.6B-GGUF',
    task: 'chat',
    backend: 'gguf',
    modelType: 'qwen3',
    overview: 'Conversation, tools and thinking; the smallest that does all three.',
    languages: 'more than 100',
    megabytes: { Q4_K_M: 397 },
    file: '*0.6B-Q4_K_M.gguf',
    contextLength: 40_960,
    license: 'apache-2.0',
    figures: { source: SAME_SHAPE, date: '2025-09' },
  },
  {
    source: 'Qwen3.5-0.8B-q4f16_1-MLC',
    task: 'chat',
    backend: 'web-llm',
    modelType: 'qwen3_5',
    overview: 'Conversation, tools and thinking.',
    languages: 'more than 100',
    megabytes: { q4f16_1: 456 },
    gpuMemoryMB: 1629,
    contextLength: 4096,
    license: 'apache-2.0',
    figures: { source: WEB_LLM_LIST, date: '2026-11' },
  },
  {
    source: 'onnx-community/Qwen2.5-0.5B-Instruct',
    task: 'chat',
    backend: 'transformers',
    modelType: 'qwen2',
    overview: 'Conversation, JSON and tools.',
    languages: '29',
    megabytes: { q4: 786, q4f16: 483 },
    contextLength: 32_768,
    license: 'apache-2.0',
    figures: { source: HUB_PAGES, date: '2025-09' },
  },
  {
    source: 'onnx-community/LFM2-700M-ONNX',
    task: 'chat',
    backend: 'transformers',
    modelType: 'lfm2',
    overview: 'Conversation and tools, quick for its size.',
    languages: 'English, Arabic, Chinese, French, German, Japanese, Korean, Spanish',
    megabytes: { q4: 839, q4f16: 579 },
    contextLength: 32_768,
    license: 'lfm1.0',
    figures: { source: HUB_PAGES, date: '2025-10' },
  },
  {
    source: 'unsloth/gemma-3-1b-it-GGUF',
    task: 'chat',
    backend: 'gguf',
    modelType: 'gemma3',
    overview: 'Conversation and summaries.',
    languages: 'English; others in part',
    megabytes: { Q4_K_M: 806 },
    file: '*it-Q4_K_M.gguf',
    contextLength: 32_768,
    license: 'gemma',
    figures: { source: HUB_PAGES, date: '2025-03' },
  },
  {
    source: 'onnx-community/LFM2-1.2B-Tool-ONNX',
    task: 'chat',
    backend: 'transformers',
    modelType: 'lfm2',
    overview: 'Calls tools; trained for that alone.',
    languages: 'English, Arabic, Chinese, French, German, Japanese, Korean, Portuguese, Spanish',
    megabytes: { q4: 1220, q4f16: 868 },
    contextLength: 32_768,
    license: 'lfm1.0',
    figures: { source: HUB_PAGES, date: '2025-10' },
  },
  {
    source: 'Qwen3-1.7B-q4f16_1-MLC',
    task: 'chat',
    backend: 'web-llm',
    modelType: 'qwen3',
    overview: 'Conversation, tools and thinking, with fewer mistakes.',
    languages: 'more than 100',
    megabytes: { q4f16_1: 969 },
    gpuMemoryMB: 2037,
    contextLength: 4096,
    license: 'apache-2.0',
    figures: { source: WEB_LLM_LIST, date: '2026-11' },
  },
  {
    source: 'onnx-community/Llama-3.2-1B-Instruct',
    task: 'chat',
    backend: 'transformers',
    modelType: 'llama',
    overview: 'Conversation, summaries and tools.',
    languages: 'English, French, German, Hindi, Italian, Portuguese, Spanish, Thai',
    megabytes: { q4: 1660, q4f16: 1070 },
    contextLength: 131_072,
    license: 'llama3.2',
    figures: { source: HUB_PAGES, date: '2025-09' },
  },
  {
    source: 'Xenova/all-MiniLM-L6-v2',
    task: 'embeddings',
    backend: 'transformers',
    modelType: 'bert',
    overview: 'Search and comparison of sentences.',
    languages: 'English',
    megabytes: { q8: 23, fp16: 45, fp32: 90 },
    contextLength: 512,
    license: 'apache-2.0',
    figures: { source: HUB_PAGES, date: '2025-09' },
  },
  {
    source: 'Xenova/multilingual-e5-small',
    task: 'embeddings',
    backend: 'transformers',
    modelType: 'bert',
    overview: 'Search; texts begin with `query: ` or `passage: `.',
    languages: 'about 100',
    megabytes: { q8: 118, fp16: 235, fp32: 470 },
    contextLength: 512,
    license: 'mit',
    figures: { source: HUB_PAGES, date: '2025-09' },
  },
  {
    source: 'Xenova/ms-marco-MiniLM-L-6-v2',
    task: 'rerank',
    backend: 'transformers',
    modelType: 'bert',
    overview: 'Ranks the results of a search.',
    languages: 'English',
    megabytes: { q8: 23, fp16: 45, fp32: 91 },
    contextLength: 512,
    license: 'apache-2.0',
    figures: { source: SAME_SHAPE, date: '2025-09' },
  },
  {
    source: 'Xenova/whisper-tiny',
    task: 'speech-to-text',
    backend: 'transformers',
    modelType: 'whisper',
    overview: 'Transcription, quick and rough.',
    languages: '99',
    megabytes: { q8: 41, fp32: 152 },
    contextLength: 448,
    license: 'apache-2.0',
    figures: { source: HUB_PAGES, date: '2025-09' },
  },
  {
    source: 'Xenova/whisper-base',
    task: 'speech-to-text',
    backend: 'transformers',
    modelType: 'whisper',
    overview: 'Transcription, with fewer mistakes.',
    languages: '99',
    megabytes: { q8: 77, fp16: 146, fp32: 292 },
    contextLength: 448,
    license: 'apache-2.0',
    figures: { source: HUB_PAGES, date: '2025-09' },
  },
  {
    source: 'onnx-community/Kokoro-82M-ONNX',
    task: 'text-to-speech',
    backend: 'transformers',
    modelType: 'style_text_to_speech_2',
    overview: 'Natural voices; the entry needs a `phonemizer`.',
    languages: 'English',
    megabytes: { q8: 92, fp16: 163, fp32: 326 },
    contextLength: 512,
    license: 'apache-2.0',
    figures: { source: HUB_PAGES, date: '2025-02' },
  },
];
