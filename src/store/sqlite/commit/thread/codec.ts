import type { WriteOperations } from '../write-operations.ts';
import type { TapeReader, TapeWriter } from './batch-encoder.ts';

/** How the parameters of an operation and its result travel. Members of object literals are evaluated in order. */
export interface Codec<Name extends keyof WriteOperations> {
  putParameters(tape: TapeWriter, ...parameters: Parameters<WriteOperations[Name]>): void;
  takeParameters(tape: TapeReader): Parameters<WriteOperations[Name]>;
  putResult(tape: TapeWriter, result: ReturnType<WriteOperations[Name]>): void;
  takeResult(tape: TapeReader): ReturnType<WriteOperations[Name]>;
}
