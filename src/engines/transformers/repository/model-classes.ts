/**
 * The model classes of transformers.js, by `model_type` in `config.json`: which of them run here for which task. Errors, the
 * table of the documents and the tests read this list; a test compares it with the library's registry.
 * @module
 */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { ModelEntry } from '../../../core/models/model-entry.js';
import { CTC_TYPES } from './repository-files.js';

type Task = ModelEntry['task'];

/** Classes that are alike for this engine. */
export interface ModelClasses {
  /** What one of them is, without article. */
  kind: string;
  /** For which tasks they run; none: they are refused. */
  tasks: readonly Task[];
  /** Values of `model_type`. */
  types: readonly string[];
}

const words = (text: string): string[] => text.trim().split(/\s+/);

export const MODEL_CLASSES = [
  {
    kind: 'text decoder',
    tasks: ['chat', 'embeddings', 'rerank'],
    types: words(`
      afmoe apertus arcee bloom codegen cohere cohere2 deepseek_v3 ernie4_5 exaone falcon gemma gemma2 gemma3_text glm
      glm_moe_dsa gpt2 gpt_bigcode gpt_neo gpt_neox gpt_oss gptj granite helium hunyuan_v1_dense jais llama llama4_text
      ministral ministral3 mistral mistral4 mobilellm modernbert-decoder mpt nanochat olmo olmo2 olmo3 openelm opt phi
      phi3 qwen2 qwen2_moe qwen3 qwen3_moe smollm3 solar_open stablelm starcoder2 vaultgemma youtu`),
  },
  {
    kind: 'text decoder with convolutional or recurrent states',
    tasks: ['chat', 'embeddings', 'rerank'],
    types: words(`
      deepseek_v4 falcon_h1 granitemoehybrid lfm2 lfm2_moe nemotron_h olmo_hybrid qwen3_5_text qwen3_next zaya`),
  },
  { kind: 'text decoder whose prompt is read in both directions', tasks: ['chat'], types: ['hrm_text'] },
  {
    kind: 'vision model (text and images)',
    tasks: ['chat'],
    types: words(`
      gemma3 gemma3n gemma4 glm_ocr idefics3 lfm2_vl lighton_ocr llava llava_qwen2 mistral3 paligemma qwen2_5_vl qwen2_vl
      qwen3_5 qwen3_5_moe qwen3_vl qwen3_vl_moe smolvlm`),
  },
  {
    kind: 'vision model without a usable image processor (text input only)',
    tasks: ['chat'],
    types: ['llava_onevision', 'moondream1'],
  },
  {
    kind: 'text encoder',
    tasks: ['embeddings', 'rerank'],
    types: words(`
      albert bert camembert convbert deberta deberta-v2 distilbert electra esm eurobert mobilebert modernbert mpnet neobert
      nomic_bert roberta roformer squeezebert xlm xlm-roberta`),
  },
  { kind: 'text-to-speech model', tasks: ['text-to-speech'], types: ['supertonic', 'vits'] },
  {
    kind: 'text-to-speech model that reads phonemes (set `phonemizer` in its entry)',
    tasks: ['text-to-speech'],
    types: ['style_text_to_speech_2'],
  },
  { kind: 'text-to-speech model without a vocoder in its repository', tasks: [], types: ['speecht5'] },
  { kind: 'Whisper model', tasks: ['speech-to-text'], types: ['lite-whisper', 'whisper'] },
  {
    kind: 'speech recognition model with a text decoder only',
    tasks: ['speech-to-text'],
    types: ['cohere_asr', 'moonshine'],
  },
  { kind: 'speech recognition model with CTC', tasks: ['speech-to-text'], types: CTC_TYPES },
  {
    kind: 'text encoder and decoder',
    tasks: [],
    types: words('bart blenderbot blenderbot-small longt5 m2m_100 marian mbart mt5 t5'),
  },
  {
    kind: 'image-to-text model without a decoder that can run here',
    tasks: [],
    types: words('florence2 mgp-str multi_modality phi3_v trocr vision-encoder-decoder'),
  },
  {
    kind: 'text and audio decoder',
    tasks: [],
    types: words('granite_speech ultravox voxtral voxtral_realtime'),
  },
  {
    kind: 'text encoder with an image or audio encoder',
    tasks: [],
    types: words('chinese_clip clap clip clipseg embedding_gemma2 groupvit jina_clip siglip'),
  },
  {
    kind: 'model of images, audio or time series',
    tasks: [],
    types: words(`
      audio-spectrogram-transformer beit ben birefnet chmv2 convnext convnextv2 d_fine dac decision_transformer deit
      depth_anything depth_pro detr dinov2 dinov2_with_registers dinov3_convnext dinov3_vit donut-swin dpt edgetam
      efficientnet fastvit glpn grounding-dino hiera hifigan ijepa isnet maskformer metric3d metric3dv2 mimi mobilenet_v1
      mobilenet_v2 mobilenet_v3 mobilenet_v4 mobilevit mobilevitv2 modnet musicgen openai_privacy_filter owlv2 owlvit
      patchtsmixer patchtst pvt pyannote resnet rf_detr rt_detr rt_detr_v2 sam sam2 sam3_tracker sapiens segformer snac
      swin swin2sr table-transformer vit vit_mae vit_msn vitmatte vitpose
      wespeaker-resnet yolos`),
  },
] as const satisfies readonly ModelClasses[];

/** Classes that the library has no name for. */
const OTHER_CLASSES: readonly ModelClasses[] = [
  { kind: 'table of token vectors', tasks: ['embeddings'], types: ['model2vec'] },
  {
    kind: 'text-to-speech model in four graphs, one of which is a language model for audio',
    tasks: [],
    types: ['chatterbox'],
  },
];

/** What an entry of a task can name instead. */
const INSTEAD: Readonly<Record<Task, string>> = {
  chat: 'a text model such as `onnx-community/Qwen3-0.6B-ONNX`, or a vision model such as `HuggingFaceTB/SmolVLM-256M-Instruct`',
  embeddings: 'a text encoder such as `Xenova/all-MiniLM-L6-v2`',
  rerank: 'a cross-encoder such as `Xenova/ms-marco-MiniLM-L-6-v2`',
  'speech-to-text':
    'a speech recognition model such as `onnx-community/whisper-base`, or `onnx-community/moonshine-base-ONNX` for English',
  'text-to-speech': 'a Supertonic or VITS model such as `onnx-community/Supertonic-TTS-ONNX` or `Xenova/mms-tts-eng`',
};

/** Tasks for which a type that is not in the list is refused: only these need one certain architecture. */
const CLOSED_TASKS: readonly Task[] = ['speech-to-text', 'text-to-speech'];

/**
 * Refuses a model whose class does not run here, or not for the entry's task. Types that are not in the list are left to
 * the library, which may be newer.
 * @param config the parsed `config.json`
 * @throws InferenceError `model_not_supported`, permanent; its message names the class and what runs instead
 */
export function checkModelClass(
  { id, task, source = id }: Pick<ModelEntry, 'id' | 'task' | 'source'>,
  config: unknown,
): void {
  // Repositories of Piper have no `config.json`.
  if (config === undefined && task === 'text-to-speech' && /\bpiper\b/i.test(source)) {
    const reason =
      'voices of Piper are VITS graphs without `config.json` and tokenizer: the table that turns phonemes into numbers is in Piper’s own file, which Inpage does not read.';
    throw notSupported(id, `${reason} For task \`${task}\`, use ${INSTEAD[task]}.`);
  }
  const type = typeOf(config);
  if (type === undefined) return;
  const found = classesOf(type);
  if (found ? found.tasks.includes(task) : !CLOSED_TASKS.includes(task)) return;
  const other = found?.tasks.map((each) => `\`${each}\``).join(' or ');
  const problem = other
    ? `${withArticle(found!.kind)}: it runs as a model of task ${other}`
    : `${found ? withArticle(found.kind) : 'an unknown class'}, which does not run here`;
  throw notSupported(id, `\`${type}\` is ${problem}. For task \`${task}\`, use ${INSTEAD[task]}.`);
}

/** Refuses a class that neither the list nor the library knows. @throws InferenceError see {@link checkModelClass} */
export function refuseUnknownClass({ id, task }: Pick<ModelEntry, 'id' | 'task'>, config: unknown): void {
  const type = typeOf(config);
  if (type === undefined) throw notSupported(id, 'its `config.json` names no `model_type`.');
  if (classesOf(type)) return;
  throw notSupported(id, `transformers.js does not know the class \`${type}\`. Take ${INSTEAD[task]}.`);
}

function notSupported(id: string, reason: string): InferenceError {
  return new InferenceError('model_not_supported', `The model \`${id}\` cannot be loaded: ${reason}`, {
    param: 'model',
    permanent: true,
  });
}

function withArticle(kind: string): string {
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`;
}

function classesOf(type: string): ModelClasses | undefined {
  return [...MODEL_CLASSES, ...OTHER_CLASSES].find(({ types }: ModelClasses) => types.includes(type));
}

function typeOf(config: unknown): string | undefined {
  const { model_type: type } = (config ?? {}) as { model_type?: unknown };
  return typeof type === 'string' ? type : undefined;
}
