/** Errors as pg reports them. */

export function serverError(message: string, code: string | undefined): Error {
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}

export function lostConnection(): Error {
  return new Error('Connection terminated unexpectedly');
}
