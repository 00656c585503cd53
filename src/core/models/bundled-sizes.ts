/** Bytes of the files that a load of a bundled model opens: their server states no sizes. @module */

/** @internal By the model's folder; a test compares them with the files. */
export const BUNDLED_SIZES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'tiny-chat': {
    'config.json': 709,
    'generation_config.json': 127,
    'tokenizer.json': 539909,
    'tokenizer_config.json': 5737,
    'tiny-chat-Q8_0.gguf': 7236768,
    'onnx/model_quantized.onnx': 6937501,
    'onnx/model_q4.onnx': 5107591,
  },
  'tiny-embed': {
    '1_Pooling/config.json': 135,
    'config.json': 538,
    'tokenizer.json': 175824,
    'tokenizer_config.json': 313,
    'onnx/model_quantized.onnx': 3512322,
  },
  'tiny-whisper': {
    'config.json': 1028,
    'generation_config.json': 685,
    'preprocessor_config.json': 326,
    'tokenizer.json': 220164,
    'tokenizer_config.json': 231649,
    'onnx/encoder_model_quantized.onnx': 2125537,
    'onnx/decoder_model_merged_quantized.onnx': 3272070,
  },
};

/** @internal Sizes of the files of a folder that is a bundled model's; undefined for others. @param url absolute, ends with `/` */
export function bundledSizes(url: string): ReadonlyMap<string, number> | undefined {
  const sizes = BUNDLED_SIZES[/\/models\/([\w-]+)\/$/.exec(url)?.[1] ?? ''];
  return sizes && new Map(Object.entries(sizes));
}
