import react from '@vitejs/plugin-react';
import { inpage } from 'inpage/vite';

export default { plugins: [react(), inpage({ models: ['tiny-chat'] })] };
