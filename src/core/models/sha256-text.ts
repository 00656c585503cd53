/** How a SHA-256 is written: 64 hexadecimal digits, or as `integrity` attributes have it. @module */

export const HEX = /^[\da-f]{64}$/i;
export const INTEGRITY = /^sha256-([A-Za-z\d+/]{43}=)$/;

export const isSha256 = (text: string): boolean => HEX.test(text) || INTEGRITY.test(text);
