/** Where the app lives on its origin. @module */

/** Set by the Vite plugin to the app's `base`; absent with other bundlers. */
declare const INPAGE_BASE: string | undefined;

/** URL path that ends with `/`: what the plugin emits lies below it. */
export const APP_BASE: string = typeof INPAGE_BASE === 'string' ? INPAGE_BASE : '/';
