/** What a repository of a vision-language model has beside its graphs, for two families. */
import { DECODER, ENCODER, QWEN_FRAMES, SMOLVLM_SIDE } from './random-parts.js';

export const FAMILIES = ['smolvlm', 'qwen2-vl'] as const;
export type VisionFamily = (typeof FAMILIES)[number];

/** A parsed `tokenizer.json` of byte-level BPE, as far as it is changed here. */
export interface Tokenizer {
  added_tokens: { id: number; content: string; special: boolean }[];
  model: { vocab: Record<string, number> };
}

/** Most tiles of a picture in one direction, with names for each. */
const TILES = 4;

/** Control tokens that the family's processor and template write. */
const TOKENS: Record<VisionFamily, readonly string[]> = {
  smolvlm: [
    '<image>',
    '<fake_token_around_image>',
    '<global-img>',
    '<end_of_utterance>',
    ...Array.from(
      { length: TILES * TILES },
      (_, place) => `<row_${Math.floor(place / TILES) + 1}_col_${(place % TILES) + 1}>`,
    ),
  ],
  'qwen2-vl': ['<|vision_start|>', '<|image_pad|>', '<|vision_end|>', '<|video_pad|>'],
};

/** Published ones take lists of parts alone and know no tools. */
const SMOLVLM_TEMPLATE =
  '<|im_start|>{% for message in messages %}{{ message.role | capitalize }}' +
  "{{ ':' if message.content[0].type == 'image' else ': ' }}" +
  "{% for part in message.content %}{{ part.text if part.type == 'text' else '<image>' }}{% endfor %}" +
  "{{ '<end_of_utterance>\\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ 'Assistant:' }}{% endif %}";

/** Takes text as well as parts, in all roles, and tools as the newer ones of its family do. */
const QWEN_TEMPLATE =
  '{% macro write(content) %}{% if content is string %}{{ content }}{% else %}{% for part in content %}' +
  "{% if part.type == 'image' %}<|vision_start|><|image_pad|><|vision_end|>{% else %}{{ part.text }}{% endif %}" +
  '{% endfor %}{% endif %}{% endmacro %}' +
  "{% if tools %}{{ '<|im_start|>system\\n' }}{% if messages[0].role == 'system' %}{{ write(messages[0].content) + '\\n' }}{% endif %}" +
  "{{ '# Tools\\n<tools>\\n' }}{% for tool in tools %}{{ tool | tojson }}{{ '\\n' }}{% endfor %}" +
  '{{ \'</tools>\\nCall with <tool_call>{"name": ..., "arguments": ...}</tool_call><|im_end|>\\n\' }}{% endif %}' +
  "{% for message in messages %}{% if not (tools and loop.first and message.role == 'system') %}" +
  "{{ '<|im_start|>' + ('user' if message.role == 'tool' else message.role) + '\\n' }}" +
  "{% if message.role == 'tool' %}{{ '<tool_response>\\n' }}{% endif %}{{ write(message.content) }}" +
  "{% if message.role == 'tool' %}{{ '\\n</tool_response>' }}{% endif %}" +
  '{% for call in message.tool_calls or [] %}{{ \'<tool_call>\\n{"name": "\' + call.function.name + \'", "arguments": \' }}' +
  "{{ call.function.arguments | tojson }}{{ '}\\n</tool_call>' }}{% endfor %}{{ '<|im_end|>\\n' }}{% endif %}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

const ENDS = { bos_token_id: 1, eos_token_id: 2, pad_token_id: 0 };

const TEXT_CONFIG = {
  hidden_size: DECODER.hidden,
  intermediate_size: DECODER.inner,
  num_hidden_layers: DECODER.layers,
  num_attention_heads: DECODER.heads,
  num_key_value_heads: DECODER.keyHeads,
  head_dim: DECODER.width,
  rope_theta: DECODER.theta,
  max_position_embeddings: 2048,
};

/** How many frequencies of a head turn with time, height and width. */
export const QWEN_SECTIONS = [2, 3, 3];

/** The files by name, and how many tokens there are. @param tokenizer whose tokens come before those of the family */
export function visionModelFiles(
  family: VisionFamily,
  tokenizer: Tokenizer,
): { files: Record<string, unknown>; vocabulary: number } {
  const first = Math.max(...Object.values(tokenizer.model.vocab), ...tokenizer.added_tokens.map(({ id }) => id)) + 1;
  const own = TOKENS[family].map((content, place) => ({
    id: first + place,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  }));
  const idOf = (content: string): number => own.find((token) => token.content === content)!.id;
  const vocabulary = first + own.length;
  const added = [...tokenizer.added_tokens, ...own];
  const config = family === 'smolvlm' ? smolVlmConfig(vocabulary, idOf('<image>')) : qwenConfig(vocabulary, idOf);
  return {
    vocabulary,
    files: {
      'config.json': { ...config, ...ENDS },
      'generation_config.json': ENDS,
      'preprocessor_config.json': PREPROCESSORS[family],
      'processor_config.json': {
        processor_class: PREPROCESSORS[family].processor_class,
        image_seq_len: SMOLVLM_TOKENS,
      },
      'tokenizer.json': { ...tokenizer, added_tokens: added },
      'tokenizer_config.json': {
        tokenizer_class: 'PreTrainedTokenizerFast',
        eos_token: '<|im_end|>',
        pad_token: '<|endoftext|>',
        bos_token: null,
        unk_token: null,
        clean_up_tokenization_spaces: false,
        model_max_length: 2048,
        added_tokens_decoder: Object.fromEntries(added.map(({ id, ...token }) => [id, token])),
        chat_template: family === 'smolvlm' ? SMOLVLM_TEMPLATE : QWEN_TEMPLATE,
      },
    },
  };
}

const SMOLVLM_TOKENS = (SMOLVLM_SIDE / ENCODER.patch / ENCODER.merge) ** 2;

const COLOURS = { do_rescale: true, rescale_factor: 1 / 255, do_normalize: true, do_convert_rgb: true, resample: 2 };

const PREPROCESSORS = {
  smolvlm: {
    ...COLOURS,
    processor_class: 'Idefics3Processor',
    image_processor_type: 'Idefics3ImageProcessor',
    do_resize: true,
    do_image_splitting: true,
    size: { longest_edge: 2 * SMOLVLM_SIDE },
    max_image_size: { longest_edge: SMOLVLM_SIDE },
    image_mean: [0.5, 0.5, 0.5],
    image_std: [0.5, 0.5, 0.5],
  },
  'qwen2-vl': {
    ...COLOURS,
    processor_class: 'Qwen2VLProcessor',
    image_processor_type: 'Qwen2VLImageProcessor',
    do_resize: true,
    min_pixels: 32 * 32,
    max_pixels: 96 * 96,
    size: { shortest_edge: 32 * 32, longest_edge: 96 * 96 },
    patch_size: ENCODER.patch,
    merge_size: ENCODER.merge,
    temporal_patch_size: QWEN_FRAMES,
    image_mean: [0.48145466, 0.4578275, 0.40821073],
    image_std: [0.26862954, 0.26130258, 0.27577711],
  },
};

function smolVlmConfig(vocabulary: number, image: number): object {
  return {
    architectures: ['Idefics3ForConditionalGeneration'],
    model_type: 'idefics3',
    image_token_id: image,
    scale_factor: ENCODER.merge,
    text_config: { ...TEXT_CONFIG, model_type: 'llama', vocab_size: vocabulary },
    vision_config: { model_type: 'idefics3', image_size: SMOLVLM_SIDE, patch_size: ENCODER.patch },
  };
}

function qwenConfig(vocabulary: number, idOf: (token: string) => number): object {
  return {
    architectures: ['Qwen2VLForConditionalGeneration'],
    model_type: 'qwen2_vl',
    ...TEXT_CONFIG,
    vocab_size: vocabulary,
    image_token_id: idOf('<|image_pad|>'),
    video_token_id: idOf('<|video_pad|>'),
    vision_start_token_id: idOf('<|vision_start|>'),
    vision_end_token_id: idOf('<|vision_end|>'),
    rope_scaling: { type: 'mrope', mrope_section: QWEN_SECTIONS },
    vision_config: { spatial_merge_size: ENCODER.merge, patch_size: ENCODER.patch, temporal_patch_size: QWEN_FRAMES },
  };
}
