/** What `startInference` leaves for `diagnose`. @module */

/** The service that was started last on a page, also when it failed: `diagnose` looks at it. */
export interface LatestStart {
  /** Absent while they are checked, and when they were wrong. */
  options?: Readonly<Record<string, string>>;
  /** `held-back`: the browser prerenders the page, and nothing of it runs before it is shown. */
  state: 'starting' | 'held-back' | 'running' | 'ended';
  /** Why it did not start. */
  error?: string;
}
