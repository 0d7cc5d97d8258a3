export { loadStaticEncoder } from './static-encoder.ts';
