/** What `startInference` leaves for `diagnose`. @module */

/** The service that was started last on a page, also when it failed: `diagnose` looks at it. */
export interface LatestStart {
  /** Absent while they are checked, and when they were wrong. */
  options?: Readonly<Record<string, string>>;
  state: 'starting' | 'running' | 'ended';
  /** Why it did not start. */
  error?: string;
}
