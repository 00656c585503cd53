import react from '@vitejs/plugin-react';
import { inpage } from 'inpage/vite';
import { defineConfig } from 'vite';

export default defineConfig({ plugins: [react(), inpage({ models: ['tiny-chat'] })] });
