/** Below the prefix: answered with 204, without a key. A page asks for it to learn whether its requests reach the gateway. */
export const OWN_PATH = '/.inpage';
