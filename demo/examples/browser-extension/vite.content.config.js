/** Browsers load content scripts as one classic script each. */
export default {
  publicDir: false,
  build: {
    emptyOutDir: false,
    lib: { entry: 'content.js', formats: ['iife'], name: 'content', fileName: () => 'content.js' },
  },
};
