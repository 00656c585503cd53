/** Texts of mixed lengths: mostly sentences, every eighth a paragraph, some of a page, as in a search index. @module */
export async function mixedTexts(count: number): Promise<string[]> {
  const { notes, queries } = (await (await fetch('/models/tiny-embed/notes.json')).json()) as Record<string, string[]>;
  const sentences = [...(notes ?? []), ...(queries ?? [])];
  const some = (start: number, length: number): string =>
    Array.from({ length }, (_, index) => sentences[(start + index * 7) % sentences.length]).join(' ');
  return Array.from({ length: count }, (_, index) => {
    // A number makes each text a new one: repeated texts are read once, which would flatter us.
    return `${index + 100} ${some(index, index % 32 === 0 ? 12 : index % 8 === 0 ? 5 : 1)}`;
  });
}
