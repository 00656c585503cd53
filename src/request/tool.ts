/** Functions that the model may call. @module */

/** A JSON Schema as it came, already checked by `constraints/check-json-schema.ts`. */
export type JsonSchema = boolean | { [key: string]: unknown };

export interface Tool {
  /** Letters, digits, underscores, dashes. */
  name: string;
  description?: string;
  /** Absent: the function takes no arguments. */
  parameters?: JsonSchema;
}

/** `auto`: the model decides; `none`: no call; `required`: at least one; an object: this one. */
export type ToolChoice = 'auto' | 'none' | 'required' | { name: string };
