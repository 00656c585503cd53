/** Functions that the model may call. @module */

/** A JSON Schema as it came; `checkSchemaStructure` has checked its structure. */
export type JsonSchema = boolean | { [key: string]: unknown };

export interface Tool {
  /** Letters, digits, underscores, dashes. */
  name: string;
  description?: string | undefined;
  /** Undefined: the function does not accept arguments. */
  parameters?: JsonSchema | undefined;
  /** The client insists on every keyword of `parameters`. */
  strict?: true;
  /** What a grammar cannot express is left out of it: `parameters` may be anything, and calls conform to the rest. */
  loose?: true;
  /** Dotted path of `parameters` in the client's request, for errors. */
  param?: string;
}

/** `auto`: the model decides; `none`: no call; `required`: at least one; an object: this one. */
export type ToolChoice = 'auto' | 'none' | 'required' | { name: string };
