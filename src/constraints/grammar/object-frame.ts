/** The way an object is written. @module */
import type { Expression } from './expression.js';

/** How an object's members are written around the value's grammar: as JSON members, or as Python keyword arguments. */
export interface ObjectFrame {
  open: string;
  close: string;
  /** Key and what stands between it and the value; NEVER when this name cannot be written. */
  key: (name: string) => Expression;
  /** Whether names that no schema lists can be written. */
  extraKeys: boolean;
}
