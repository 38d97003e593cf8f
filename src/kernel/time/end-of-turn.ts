let end: Promise<void> | undefined;

/** Resolves when the event loop has nothing more to read in this turn, for everybody who asked in it at once. */
export function endOfTurn(): Promise<void> {
  end ??= new Promise((resolve) => {
    setImmediate(() => {
      end = undefined;
      resolve();
    });
  });
  return end;
}
