import { inpage } from 'inpage/vite';

export default { plugins: [inpage({ engines: [] })] };
