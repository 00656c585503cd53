/** The way an object is written. @module */
import type { Expression } from './expression.js';
import type { PlainStrings } from './value-style.js';

/** How an object's members are written around the value's grammar: JSON members, Python's keywords, elements of XML. */
export interface ObjectFrame {
  open: string;
  close: string;
  /** Between two members; absent: the comma of the style. */
  separator?: Expression;
  /** Key and what stands between it and the value; NEVER when this name cannot be written. */
  key: (name: string) => Expression;
  /** Whether names that no schema lists can be written. */
  extraKeys: boolean;
  /** Set where a member that is a string stands as plain text, and every value is followed by what closes it. */
  text?: PlainStrings;
}
