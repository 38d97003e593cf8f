/** Whether a request with this method only reads. Every other method may change something. */
export function isReadMethod(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}
