/** Which Node runs GGUF models faster. @module */

/** The first Node without a faster one: its compiler keeps the order of the kernels' instructions. */
const FASTEST = 24;
/** The first one with relaxed SIMD. */
const FASTER = 22;

/** A sentence for whoever waits for prompts to be read; undefined: no Node is faster. @param version `process.versions.node` */
export function fasterNode(version: string): string | undefined {
  const major = Number.parseInt(version);
  if (major >= FASTEST) return undefined;
  const gain = major < FASTER ? 'about twice as fast as' : 'up to 1.5 times as fast as';
  return `Node ${FASTEST} reads prompts of GGUF models ${gain} Node ${major} does.`;
}
