import { storeError } from '../file/store-error.ts';

type Method = (...parameters: never[]) => Promise<unknown>;

/** The same methods, whose rejections are errors of ours. */
export function guardReads<T extends Readonly<Record<keyof T, Method>>>(reads: T, location: string): T {
  const guard =
    (method: Method): Method =>
    async (...parameters) => {
      try {
        return await method(...parameters);
      } catch (error) {
        throw storeError(error, location);
      }
    };
  const methods = Object.entries<Method>(reads).map(([name, method]) => [name, guard(method)]);
  return Object.fromEntries(methods) as T;
}
