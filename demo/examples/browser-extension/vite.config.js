import { inpage } from 'inpage/vite';

export default {
  build: { rolldownOptions: { input: 'chat.html' } },
  plugins: [inpage({ models: ['tiny-chat'], webgpu: false })],
};
