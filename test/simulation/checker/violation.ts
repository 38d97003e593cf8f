/** A promise that did not hold. */
export class Violation extends Error {
  readonly promise: string;

  constructor(promise: string, message: string, about: unknown) {
    super(`${promise}: ${message}${about === undefined ? '' : ` ${JSON.stringify(about)}`}`);
    this.promise = promise;
  }
}

export function violated(promise: string, message: string, about?: unknown): Violation {
  return new Violation(promise, message, about);
}
