/** An abort signal that is made when somebody first looks at it: most handlers never do. */
export interface LazySignal {
  /** Aborted already when {@link abort} was called before. */
  get(): AbortSignal;
  abort(reason: DOMException): void;
}

export function createLazySignal(): LazySignal {
  let controller: AbortController | undefined;
  let why: DOMException | undefined;
  return {
    get() {
      if (controller === undefined) {
        controller = new AbortController();
        if (why !== undefined) controller.abort(why);
      }
      return controller.signal;
    },
    abort(reason) {
      why ??= reason;
      controller?.abort(reason);
    },
  };
}
