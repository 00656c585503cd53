/** For each class that is a decoder, the inputs and caches that its exports have; and what any of them may have besides. */
import { AutoModelForCausalLM, AutoModelForImageTextToText } from '@huggingface/transformers';
import { MODEL_CLASSES, type ModelClasses } from '../../../../src/engines/transformers/repository/model-classes.js';
import type { DecoderForm, Layer } from './made-decoder.js';
import { SEEING_FORMS, type SeeingForm } from './vision-forms.js';

const ATTENTION: Layer = { cache: 'attention' };
const GROUPED: Layer = { cache: 'attention', heads: 1 };
/** Keys of another size than values. */
const LATENT: Layer = { cache: 'attention', keySize: 6, valueSize: 4 };

const convolution = (...names: string[]): Layer => ({ cache: 'convolution', names, taps: 3 });

/** Other than two layers of grouped attention with `position_ids`. */
const FORMS: Readonly<Record<string, DecoderForm>> = {
  bloom: { positions: 'none', layers: [{ cache: 'joined-heads' }, { cache: 'joined-heads' }] },
  mpt: { positions: 'none', layers: [ATTENTION, ATTENTION] },
  opt: { positions: 'none', layers: [ATTENTION, ATTENTION] },
  openelm: { positions: 'none', layers: [GROUPED, { cache: 'attention', heads: 3 }] },
  gpt_bigcode: { layers: [{ cache: 'key-value' }, { cache: 'key-value' }] },
  falcon: { positions: 'none', layers: [GROUPED, GROUPED] },
  deepseek_v3: { layers: [LATENT, LATENT] },
  youtu: { layers: [LATENT, LATENT] },
  mistral4: { layers: [LATENT, LATENT] },
  glm_moe_dsa: { layers: [LATENT, LATENT] },
  gemma3_text: { layers: [GROUPED, ATTENTION], firstPosition: 1 },
  gpt_oss: { layers: [{ cache: 'window', tokens: 16 }, GROUPED] },
  'modernbert-decoder': { layers: [{ cache: 'window', tokens: 8 }, GROUPED] },
  lfm2: { layers: [GROUPED, convolution('conv.1')] },
  lfm2_moe: { layers: [GROUPED, convolution('conv.1')] },
  qwen3_next: { layers: [GROUPED, convolution('conv.1'), { cache: 'recurrence', name: 'recurrent.1' }] },
  qwen3_5_text: {
    positions: 'axes',
    layers: [GROUPED, convolution('conv.1'), { cache: 'recurrence', name: 'recurrent.1' }],
  },
  olmo_hybrid: {
    layers: [
      GROUPED,
      convolution('conv.1.key', 'conv.1.value', 'conv.1.query'),
      { cache: 'recurrence', name: 'recurrent.1' },
    ],
  },
  granitemoehybrid: {
    positions: 'none',
    layers: [GROUPED, convolution('conv.1'), { cache: 'recurrence', name: 'ssm.1' }],
  },
  falcon_h1: { layers: [GROUPED, convolution('conv.0'), { cache: 'recurrence', name: 'ssm.0' }] },
  nemotron_h: { layers: [GROUPED, convolution('conv.1'), { cache: 'recurrence', name: 'ssm.1' }] },
  zaya: {
    layers: [
      GROUPED,
      convolution('.0.conv_state'),
      { cache: 'convolution', names: ['.0.shift_state'], taps: 1, flat: true },
    ],
  },
  deepseek_v4: {
    layers: [GROUPED, { cache: 'compressed', names: ['compressor.0.kv', 'compressor.0.gate', 'indexer.0.kv'] }],
  },
  hrm_text: { layers: [GROUPED, ATTENTION], prefix: 'types' },
  gemma3: { layers: [GROUPED, ATTENTION], firstPosition: 1 },
  gemma3n: { layers: [GROUPED, ATTENTION], vectors: { perLayer: true } },
  // Layers with and without a window have heads of other sizes, and the last ones share a cache.
  gemma4: {
    layers: [
      { cache: 'attention', keySize: 4, valueSize: 4 },
      { cache: 'attention', keySize: 8, valueSize: 8 },
    ],
    vectors: { perLayer: true },
  },
  paligemma: { layers: [GROUPED, ATTENTION], prefix: 'passes', firstPosition: 1 },
  qwen2_vl: { positions: 'axes', layers: [GROUPED, GROUPED] },
  qwen2_5_vl: { positions: 'axes', layers: [GROUPED, GROUPED] },
  qwen3_vl: { positions: 'axes', layers: [GROUPED, GROUPED] },
  qwen3_vl_moe: { positions: 'axes', layers: [GROUPED, GROUPED] },
  glm_ocr: { positions: 'axes', layers: [GROUPED, GROUPED] },
  lfm2_vl: { layers: [GROUPED, convolution('conv.1')] },
  qwen3_5: {
    positions: 'axes',
    layers: [GROUPED, convolution('conv.1'), { cache: 'recurrence', name: 'recurrent.1' }],
  },
  qwen3_5_moe: {
    positions: 'axes',
    layers: [GROUPED, convolution('conv.1'), { cache: 'recurrence', name: 'recurrent.1' }],
  },
};

export interface DecoderCase {
  title: string;
  /** `model_type` */
  type: string;
  architecture: string;
  form: DecoderForm;
  /** Graphs beside the decoder, for a model that takes vectors. */
  graphs: readonly string[];
  /** How it sees; absent: it does not. */
  seeing?: SeeingForm | undefined;
}

const chatTypes = MODEL_CLASSES.flatMap(({ tasks, types }: ModelClasses) => (tasks.includes('chat') ? types : []));

/** A case for each class that runs as a chat model. */
export const CLASS_CASES: readonly DecoderCase[] = chatTypes.map((type) => caseOf(type, type));

/** One class of each form: the others have the same inputs and caches under another name. */
export const DISTINCT_CASES: readonly DecoderCase[] = [
  ...new Map(CLASS_CASES.map((each) => [JSON.stringify([each.form, each.graphs, each.seeing]), each])).values(),
];

/** What the exports of a class of decoders take and remember. */
export function decoderForm(type: string): DecoderForm {
  return FORMS[type] ?? { layers: [GROUPED, GROUPED] };
}

function caseOf(title: string, type: string, changes: Partial<DecoderForm> = {}): DecoderCase {
  const form: DecoderForm = { ...decoderForm(type), ...changes };
  const seeing = nameIn(AutoModelForImageTextToText, type);
  if (seeing === undefined) {
    return { title, type, architecture: nameIn(AutoModelForCausalLM, type)!, form, graphs: [] };
  }
  const hears = type === 'gemma3n' || type === 'gemma4';
  const graphs = ['embed_tokens', 'vision_encoder', ...(hears ? ['audio_encoder'] : [])];
  return { title, type, architecture: seeing, form: { vectors: {}, ...form }, graphs, seeing: SEEING_FORMS[type] };
}

function nameIn(auto: { MODEL_CLASS_MAPPINGS: Map<string, string>[] }, type: string): string | undefined {
  return auto.MODEL_CLASS_MAPPINGS.map((mapping) => mapping.get(type)).find((name) => name !== undefined);
}

/** What exports of any class may have. */
export const FORM_CASES: readonly DecoderCase[] = [
  caseOf('no cache', 'llama', { noCache: true }),
  caseOf('no cache and no positions', 'gpt2', { noCache: true, positions: 'none' }),
  caseOf('a branch with a cache and one without', 'gpt2', { branch: true, positions: 'none' }),
  caseOf('keys and values in half precision', 'llama', { halfCache: true }),
  caseOf('keys and values in half precision, of two sizes', 'deepseek_v3', { halfCache: true }),
  caseOf('weights in a second file', 'llama', { shards: 1 }),
  caseOf('weights in three files', 'qwen3', { shards: 3 }),
  caseOf('weights of a decoder of images in two files', 'qwen2_vl', { shards: 2 }),
  ...['lfm2', 'granitemoehybrid', 'falcon_h1', 'qwen3_5', 'olmo_hybrid', 'zaya'].map((type) =>
    caseOf(`states of ${type} that are read one token at a time`, type, { oneTokenStates: true }),
  ),
];
