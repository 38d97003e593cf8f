/** Converts a path such as `/v1/companies/{id}` to the syntax of Hono. */
export function routedPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/gu, ':$1');
}
