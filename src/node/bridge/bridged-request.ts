/** What crosses between the bridge and the page in its browser: JSON, because that is what a debugging protocol carries. @module */

/** A request on its way into the page. */
export interface BridgedRequest {
  id: number;
  method: string;
  /** Absolute. */
  url: string;
  headers: [string, string][];
  /** Base64. */
  body: string | undefined;
}

/** A part of the answer on its way out. */
export type BridgedAnswer =
  | { id: number; type: 'head'; status: number; headers: [string, string][] }
  /** Base64. */
  | { id: number; type: 'chunk'; bytes: string };
