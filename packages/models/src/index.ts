export * from './embedding-cache.ts';
export { type EncoderFile, readCalibrationFile, readEncoderFile } from './encoder-file.ts';
export * from './encoder-presets.ts';
export * from './ngram-likelihood.ts';
export * from './onnx-encoder.ts';
export * from './openai-encoder.ts';
export * from './resolve-encoder.ts';
export { loadStaticEncoder } from './static-encoder.ts';
