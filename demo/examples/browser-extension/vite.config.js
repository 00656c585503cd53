import { inpage } from 'inpage/vite';

export default {
  build: {
    rolldownOptions: {
      input: { panel: 'panel.html', host: 'host.html', consent: 'consent.html', background: 'background.js' },
      // The manifest names it.
      output: { entryFileNames: ({ name }) => (name === 'background' ? '[name].js' : 'assets/[name]-[hash].js') },
    },
  },
  plugins: [inpage({ models: ['tiny-chat'], webgpu: false })],
};
