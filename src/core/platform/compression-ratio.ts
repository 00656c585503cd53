/** How much a text repeats itself. @module */

/** How many times smaller the text gets when it is compressed: about 1.5 for speech, above 2.4 where a phrase comes again and again. */
export async function compressionRatio(text: string): Promise<number> {
  const bytes = new TextEncoder().encode(text);
  const compressed = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate'));
  return bytes.length / (await new Response(compressed).arrayBuffer()).byteLength;
}
