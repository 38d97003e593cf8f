/** The headers that a browser sends with a request of a page, and whether docs/responses.md allows it. */
export interface BrowserCase {
  readonly host: string;
  readonly origin: string | undefined;
  readonly site: string | undefined;
  /** Whether the page has another origin. */
  readonly isForeign: boolean;
  /** Whether the host is one of this machine's own names. */
  readonly isOwnName: boolean;
}

/** Own names of this machine, names that others may point at it, and names that look similar. */
const hosts: readonly (readonly [host: string, isOwn: boolean])[] = [
  ['localhost', true],
  ['127.0.0.1', true],
  ['[::1]', true],
  ['LocalHost', true],
  ['127.0.0.53', true],
  ['rebound.example', false],
  ['localhost.rebound.example', false],
  ['127.0.0.1.rebound.example', false],
  ['rebound.localhost', false],
  ['localhost.', false],
  ['localhostx', false],
  ['127.0.0.1.nip.io', false],
  ['127.1', false],
  ['2130706433', false],
  ['0x7f000001', false],
  ['0.0.0.0', false],
  ['128.0.0.1', false],
  ['[::ffff:7f00:1]', false],
  ['[::]', false],
  ['xn--lcalhost-54a', false],
];

const sites = [undefined, 'none', 'same-origin', 'same-site', 'cross-site'];

/** Every combination of host, origin and site, even those that no browser sends. */
export function* browserCases(port: string): Generator<BrowserCase> {
  for (const [name, isOwnName] of hosts) {
    const host = `${name}:${port}`;
    const origins: readonly (readonly [origin: string | undefined, isOwn: boolean])[] = [
      [undefined, true],
      [`http://${host.toLowerCase()}`, true],
      [`https://${host.toLowerCase()}`, true],
      ['null', false],
      ['', false],
      ['https://evil.example', false],
      [`http://${name}`, false],
      [`http://${name}:1`, false],
      [`http://${host}.evil.example`, false],
      ['file://', false],
      ['chrome-extension://abcdefghijklmnop', false],
    ];
    for (const [origin, isOwnOrigin] of origins)
      for (const site of sites) {
        // Sec-Fetch-Site takes precedence over Origin.
        const isForeign = site === undefined || site === 'none' ? !isOwnOrigin : site !== 'same-origin';
        yield { host, origin, site, isForeign, isOwnName };
      }
  }
}

/** Content types that a page can send without a preflight, and one that it cannot. */
export const contentTypes = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  '',
  'text/plain; application/json',
  'application/json',
];
