/** Which models may have their vectors cut: those that were trained so that the first numbers say most (Matryoshka). @module */

/** Models whose makers say so, where their config does not. A table of vectors (potion) has them by what they tell. */
const TRAINED =
  /matryoshka|\bmrl\b|-mrl-|nomic-embed-text-v(1\.5|2)|modernbert-embed|mxbai-embed-(large|2d|xsmall)|deepset-mxbai|snowflake-arctic-embed-[ml]-v(1\.5|2)|qwen3-embedding|embeddinggemma|jina-embeddings-v[345]|stella_en|kalm-embedding|\bpotion-|\btiny-embed\b/i;

/**
 * Of a model that nothing says was trained for shorter vectors: what a request for some should know. Undefined: it was.
 * @param name hub id, folder or file of the model
 * @param stated lengths that its config has as `matryoshka_dimensions`
 */
export function shortVectorsWarning(name: string, stated?: readonly number[]): string | undefined {
  if (stated !== undefined || TRAINED.test(name)) return undefined;
  return 'a request shortened its vectors with `dimensions`, but its files do not say that it was trained for that (Matryoshka). Short vectors find less, so request whole vectors.';
}
