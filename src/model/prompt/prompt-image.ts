/** What a prompt knows of the images in it. @module */

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
