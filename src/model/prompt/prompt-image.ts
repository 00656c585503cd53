/** Images of a prompt: their text, their tokens, and the places of these in the prompt. @module */
/** An image as the model's own processor writes it. */
export interface PromptImage {
  /** What stands in the prompt for the placeholder that the chat template wrote; control tokens are meant. */
  text: string;
  /** How many of its tokens are places of the image; at least 1. */
  places: number;
  /** The same for the same bytes, seen the same way; negative, so that it can stand where token ids do. */
  key: number;
}

/** The images of a conversation, in the order in which it is rendered (see `imagesOf`). */
export interface PromptImages {
  /** What chat templates of the model write for an image: the text of a control token. */
  placeholder: string;
  all: readonly PromptImage[];
}

/** One of an image's places. */
export interface ImagePlace<Image> {
  image: Image;
  /** Which of the image's vectors stands there, counted from 0. */
  vector: number;
}

/**
 * By index of the token.
 * @param images in the order of their places
 * @param imageToken token id of a place
 * @throws Error when the prompt has another number of places than its images
 */
export function imagePlaces<Image extends PromptImage>(
  tokens: readonly number[],
  images: readonly Image[],
  imageToken: number,
): ReadonlyMap<number, ImagePlace<Image>> {
  const owners = images.flatMap((image) => Array.from({ length: image.places }, (_, vector) => ({ image, vector })));
  const places = tokens.flatMap((token, index) => (token === imageToken ? index : []));
  if (places.length !== owners.length)
    throw new Error('The number of images differs from the number of places for them in the prompt.');
  return new Map(places.map((index, next) => [index, owners[next]!]));
}

/** The prompt's tokens, with the key of its image at each place: prompts with equal keys are equal. */
export function promptKeys(
  tokens: readonly number[],
  places: ReadonlyMap<number, ImagePlace<PromptImage>>,
): readonly number[] {
  return tokens.map((token, index) => places.get(index)?.image.key ?? token);
}
