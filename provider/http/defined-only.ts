/** The fields of a body without those that are undefined: an optional field can be present and undefined. */
export type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Removes the fields that are undefined. */
export function definedOnly<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}
