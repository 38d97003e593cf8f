/** The fields that were given: a field of a body that may be absent can also be there and undefined. */
export type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> };

export function definedOnly<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}
