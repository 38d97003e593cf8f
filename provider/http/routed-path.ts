/** `/v1/companies/{id}` as Hono writes it. */
export function routedPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/gu, ':$1');
}
