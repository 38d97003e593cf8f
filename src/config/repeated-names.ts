/** Finds names that occur twice in a JSON object, of which JSON.parse keeps the last only. */

/** Strings and the characters that structure JSON. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/gsu;

/**
 * Finds the names that occur twice in an object or in an object directly inside of it, such as `a` or
 * `a.verify`. JSON.parse keeps the last of them without a word.
 *
 * @param json valid JSON
 */
export function repeatedNames(json: string): readonly string[] {
  const repeated = new Set<string>();
  const outerNames = new Set<string>();
  const innerNames = new Set<string>();
  let depth = 0;
  let outer = '';
  let last = '';
  for (const [token] of json.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (token !== ':') last = token;
    else if (depth === 1) {
      outer = JSON.parse(last) as string;
      if (outerNames.has(outer)) repeated.add(outer);
      outerNames.add(outer);
      innerNames.clear();
    } else if (depth === 2) {
      const inner = JSON.parse(last) as string;
      if (innerNames.has(inner)) repeated.add(`${outer}.${inner}`);
      innerNames.add(inner);
    }
  }
  return [...repeated];
}
