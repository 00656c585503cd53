/** Images of a prompt: their text, their tokens, and where these are in the prompt. @module */
/** An image as the model's own processor writes it. */
export interface PromptImage {
  /** What stands in the prompt for the placeholder that the chat template wrote; control tokens are meant. */
  text: string;
  /** How many image tokens it has, one for each of its vectors; at least 1. */
  tokenCount: number;
  /** The same for the same bytes, seen the same way; negative, so that it can stand where token ids do. */
  key: number;
}

/** The images of a conversation, in the order in which it is rendered (see `imagesOf`). */
export interface PromptImages {
  /** What chat templates of the model write for an image: the text of a control token. */
  placeholder: string;
  all: readonly PromptImage[];
}

/** What the model reads in place of an image token. */
export interface ImageVector<Image> {
  image: Image;
  /** Which of the image's vectors, counted from 0. */
  vector: number;
}

/**
 * By index of the token.
 * @param images in the order of the prompt
 * @param imageToken its token id
 * @throws Error when the prompt has another number of image tokens than its images
 */
export function imageVectors<Image extends PromptImage>(
  tokens: readonly number[],
  images: readonly Image[],
  imageToken: number,
): ReadonlyMap<number, ImageVector<Image>> {
  const owners = images.flatMap((image) =>
    Array.from({ length: image.tokenCount }, (_, vector) => ({ image, vector })),
  );
  const positions = tokens.flatMap((token, index) => (token === imageToken ? index : []));
  if (positions.length !== owners.length)
    throw new Error('The prompt has another number of image tokens than its images.');
  return new Map(positions.map((index, next) => [index, owners[next]!]));
}

/** The prompt's tokens, with the key of its image for each image token: prompts with equal keys are equal. */
export function promptKeys(
  tokens: readonly number[],
  vectors: ReadonlyMap<number, ImageVector<PromptImage>>,
): readonly number[] {
  return tokens.map((token, index) => vectors.get(index)?.image.key ?? token);
}
