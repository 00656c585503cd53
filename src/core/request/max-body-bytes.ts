/** The size limit of request bodies. @module */

/** 40 MiB: a 25 MB recording in base64, and some text. */
export const MAX_BODY_BYTES = 40 * 1024 * 1024;

/** 65 MiB: the largest file that is uploaded, and the form around it. */
export const MAX_UPLOAD_BYTES = 65 * 1024 * 1024;
