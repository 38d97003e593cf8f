/** Joins the methods of the parts of a store, and refuses two of one name. */

/** What all of a list of objects have together. */
type Joined<Parts extends readonly object[]> = Parts extends readonly [
  infer First,
  ...infer Rest extends readonly object[],
]
  ? First & Joined<Rest>
  : unknown;

/**
 * Joins the methods that the parts of a store give.
 *
 * @throws Error when two give the same one: their order would decide which of them is called
 */
export function joinedMethods<const Parts extends readonly object[]>(parts: Parts): Joined<Parts> {
  const joined: Record<string, unknown> = {};
  for (const [name, method] of parts.flatMap((part) => Object.entries(part))) {
    if (Object.hasOwn(joined, name)) throw new Error(`two parts of the store give the method ${name}`);
    joined[name] = method;
  }
  return joined as Joined<Parts>;
}
