/** Runs jobs beside a dispatcher. */

/** Runs the jobs of the store while the dispatcher runs, also in an application that embeds it. */
export function createJobService(load: () => Promise<() => () => Promise<void>>): {
  start(): void;
  stop(): Promise<void>;
} {
  let loaded: Promise<unknown> = Promise.resolve();
  let isStopping = false;
  let end = (): Promise<void> => Promise.resolve();
  return {
    start() {
      // Loaded now, while file descriptors are left and the files on disk are of this version.
      loaded = Promise.allSettled([
        load().then((serve) => {
          if (!isStopping) end = serve();
        }),
      ]);
    },
    async stop() {
      isStopping = true;
      await loaded;
      await end();
    },
  };
}
