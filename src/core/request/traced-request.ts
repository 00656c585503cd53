/** What every request to a model may carry. @module */

export interface TracedRequest {
  /** The caller's request, as the `inference-id` of its answer names it: for what is said of defects. */
  requestId?: string | undefined;
}
