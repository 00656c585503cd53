/** `mlc-chat-config.json` of a model with tiny-chat's tokenizer in a padded vocabulary. */
export const CHAT_CONFIG = {
  vocab_size: 8256,
  context_window_size: 1024,
  sliding_window_size: -1,
  attention_sink_size: -1,
  prefill_chunk_size: 1024,
  quantization: 'q4f32_1',
  tokenizer_files: ['tokenizer.json', 'tokenizer_config.json'],
  conv_template: {
    system_template: '<|im_start|>system\n{system_message}<|im_end|>\n',
    system_message: 'You are kind.',
    roles: { user: '<|im_start|>user', assistant: '<|im_start|>assistant', tool: '<|im_start|>user' },
    seps: ['<|im_end|>\n'],
    role_content_sep: '\n',
    role_empty_sep: '\n',
    stop_str: ['<|im_end|>'],
    stop_token_ids: [2],
  },
};
