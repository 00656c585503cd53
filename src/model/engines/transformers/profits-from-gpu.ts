/** Is a model large enough for a GPU? @module */

/** Below this many weights the GPU's round trips cost more than it saves. */
const SMALLEST_FOR_GPU = 60e6;

/** Told by a model's parsed `config.json`; unknown shapes count as large, and what is beside the language model is left out. */
export function profitsFromGpu(config: Readonly<Record<string, unknown>>): boolean {
  const shape = { ...config, ...(config['text_config'] as Record<string, unknown> | undefined) };
  const [width, layers] = [shape['hidden_size'] ?? shape['d_model'], shape['num_hidden_layers']];
  const vocabulary = shape['vocab_size'];
  if (typeof width !== 'number' || typeof layers !== 'number') return true;
  const weights = 12 * layers * width * width + (typeof vocabulary === 'number' ? vocabulary * width : 0);
  return weights >= SMALLEST_FOR_GPU;
}
