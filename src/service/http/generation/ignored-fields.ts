/** Fields of other services that demand something of the answer and are not honored here. @module */
import { readField } from '../validation/read-field.js';

/** By their names on the wire, each with the value that demands nothing. All other unknown fields are ignored without a word. */
const DEMANDING: Readonly<Record<string, unknown>> = {
  // The best of one answer is that answer.
  best_of: 1,
  suffix: undefined,
  // vLLM
  guided_json: undefined,
  guided_choice: undefined,
  guided_regex: undefined,
  guided_grammar: undefined,
  structured_outputs: undefined,
  min_tokens: 0,
  ignore_eos: false,
  stop_token_ids: undefined,
  include_stop_str_in_output: false,
  skip_special_tokens: true,
  bad_words: undefined,
  allowed_token_ids: undefined,
  logits_processors: undefined,
  prompt_logprobs: undefined,
  truncate_prompt_tokens: -1,
  use_beam_search: false,
  length_penalty: 1,
  chat_template: undefined,
  continue_final_message: false,
  documents: undefined,
  return_token_ids: false,
  return_tokens_as_token_ids: false,
  // SGLang
  min_new_tokens: 0,
  stop_regex: undefined,
  no_stop_trim: false,
  lora_path: undefined,
  custom_logit_processor: undefined,
  return_hidden_states: false,
  regex: undefined,
  ebnf: undefined,
  structural_tag: undefined,
  // llama.cpp
  grammar: undefined,
  json_schema: undefined,
  n_predict: -1,
  n_probs: 0,
  samplers: undefined,
  mirostat: 0,
  min_p: 0,
  n_indent: 0,
  t_max_predict_ms: 0,
  lora: undefined,
  return_tokens: false,
  post_sampling_probs: false,
  typical: 1,
  typical_p: 1,
  tfs_z: 1,
  top_a: 0,
  top_n_sigma: -1,
  repeat_penalty: 1,
  repetition_penalty: 1,
  dry_multiplier: 0,
  xtc_probability: 0,
  dynatemp_range: 0,
  // Text Generation Inference, text-generation-webui and their kin
  num_beams: 1,
  no_repeat_ngram_size: 0,
  penalty_alpha: 0,
  epsilon_cutoff: 0,
  eta_cutoff: 0,
  smoothing_factor: 0,
  guidance_scale: 1,
  negative_prompt: undefined,
  ban_eos_token: false,
  top_n_tokens: 0,
  watermark: false,
};

/**
 * The names of such fields in a body, in the order of the table.
 * @param used those that this endpoint honors
 */
export function ignoredFields(json: Readonly<Record<string, unknown>>, used: readonly string[] = []): string[] {
  const named = Object.entries(DEMANDING)
    .filter(([name, neutral]) => !used.includes(name) && demands(json[name], neutral))
    .map(([name]) => name);
  const formats = [json['response_format'], readField(json['text'], 'format')];
  const hasSchema = formats.some(
    (format) => readField(format, 'type') === 'json_object' && readField(format, 'schema') != null,
  );
  return hasSchema ? [...named, 'schema'] : named;
}

function demands(value: unknown, neutral: unknown): boolean {
  const isEmpty = value == null || value === '' || (Array.isArray(value) && value.length === 0);
  return !isEmpty && value !== neutral;
}
