/** The paths of the console. Every other path of the private port belongs to the operators' API. */
const PATHS =
  /^\/(?:$|(?:assets|sign-in|sign-out|language|search|events|subjects|failures|quarantine|handlers|replays|system)(?:\/|$))/u;

/** Whether the console responds to a path of the private port. Known before the console is loaded. */
export function isConsolePath(path: string): boolean {
  return PATHS.test(path);
}
