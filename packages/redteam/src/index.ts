export * from './registry.generated.ts';
export type * from './types.ts';
