import { inpage } from 'inpage/vite';
import { defineConfig } from 'vite';

export default defineConfig({ plugins: [inpage({ models: ['tiny-chat'] })] });
