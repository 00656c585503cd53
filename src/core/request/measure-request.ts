/** How many tokens texts are to a model that embeds them: asked before they are cut. @module */

export interface MeasureRequest {
  model: string;
  texts: readonly string[];
  /** As in an embedding request. */
  inputType?: string;
}

export interface Measure {
  /** Of each text by itself, without what is added to an input. */
  tokens: number[];
  /** What is added to each input: control tokens, and the prompt of its kind. */
  frame: number;
}
