export * from './test-encoder.ts';
