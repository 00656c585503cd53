/** What the table of endpoints and the operations on vector stores both know. @module */

/** How stores and their files are listed. */
export const STORES_PAGE = { maxLimit: 100, limit: 20, hasBefore: true };

/** Where the indexing of a file stands. */
export const MEMBER_STATUSES = ['in_progress', 'completed', 'failed', 'cancelled'] as const;
