/** Believes the header by which a trusted proxy names a person, and no other. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { Context } from 'hono';
import {
  browserHeadersOf,
  hostOf,
  isLoopbackHost,
  type BrowserHeaders,
} from '../kernel/http/browser-guard.ts';
import type { Permission, Visitor } from './roles.ts';

/** How a proxy names people: the header, the proxies, and what the people may do. */
export interface SignOnSettings {
  /** In lower case. */
  readonly header: string;
  /** Addresses and networks. */
  readonly proxies: readonly string[];
  /** By name; `*` is for everybody else. */
  readonly users: ReadonlyMap<string, readonly Permission[]>;
}

/**
 * What a request says about its person.
 *
 * - `nobody`: it does not come from a proxy and names nobody.
 * - `untrusted-peer`: it does not come from a proxy, and has the header all the same, which counts for nothing.
 * - `unnamed`, `unusable-name`: the proxy sent no name, or none that can stand in an audit.
 * - `rebound`: it comes from this machine and addresses another name: a page may have sent it (DNS rebinding).
 */
export type Claim =
  | { readonly by: 'nobody' | 'untrusted-peer' | 'unnamed' | 'unusable-name' | 'rebound' }
  | { readonly by: 'proxy'; readonly visitor: Visitor };

/** Single sign-on by a header of trusted proxies. */
export interface SignOn {
  readonly header: string;
  claim(c: Context): Claim;
  /** The address of the client: behind trusted proxies, the last one that they did not add themselves. */
  addressOf(c: Context): string | null;
  /** The headers that tell a page's own requests from others; a trusted proxy knows the public host. */
  browserHeaders(this: void, c: Context): BrowserHeaders;
}

/** Characters of a name, at most. */
const MAX_NAME = 200;

/** Names that mean something else in the audit or in the setting. */
const reserved: ReadonlySet<string> = new Set(['*', 'loopback', 'token', 'view token']);

/** A name is one line that people can tell from others: no comma, which joins repeated headers, nothing invisible. */
const NAME = /^[\p{L}\p{N}\p{P}\p{S}\p{M}]+(?: [\p{L}\p{N}\p{P}\p{S}\p{M}]+)*$/u;

/** Marks and letters that show nothing: with them, two names look like one. U+2800 is a blank. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u{2800}]/u;

/** @param settings null when there is no proxy to trust */
export function createSignOn(settings: SignOnSettings | null): SignOn {
  const { header = '', proxies = [], users = new Map<string, readonly Permission[]>() } = settings ?? {};
  const trusted = new BlockList();
  for (const proxy of proxies) {
    const [address = '', prefix] = proxy.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(prefix), family);
  }
  const isTrusted = (address: string | null): boolean =>
    address !== null && isIP(address) !== 0 && trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

  return {
    header,
    claim(c) {
      if (settings === null) return { by: 'nobody' };
      const given = c.req.header(header);
      const peer = peerOf(c);
      if (!isTrusted(peer)) return { by: given === undefined ? 'nobody' : 'untrusted-peer' };
      if (isLoopbackAddress(peer) && !isLoopbackHost(hostOf(c.req.raw))) return { by: 'rebound' };
      // Node decodes header bytes as Latin-1; proxies write UTF-8.
      const name = Buffer.from(given ?? '', 'latin1')
        .toString()
        .replaceAll(/^[ \t]+|[ \t]+$/gu, '');
      if (name === '') return { by: 'unnamed' };
      // The replacement character stands for bytes that are no UTF-8: such a name could be anybody's.
      if (
        reserved.has(name) ||
        name.includes('\u{FFFD}') ||
        name.length > MAX_NAME ||
        name.includes(',') ||
        name !== name.normalize('NFC') ||
        INVISIBLE.test(name) ||
        !NAME.test(name)
      )
        return { by: 'unusable-name' };
      const may = users.get(name) ?? users.get('*') ?? [];
      return { by: 'proxy', visitor: { name, kind: 'proxy', may, session: `proxy ${name}`, endsAt: null } };
    },
    addressOf(c) {
      const peer = peerOf(c);
      if (!isTrusted(peer)) return peer;
      const forwarded = (c.req.header('x-forwarded-for') ?? '').split(',').map((part) => part.trim());
      const client = forwarded.findLast((address) => !isTrusted(address));
      return client !== undefined && isIP(client) !== 0 ? client : peer;
    },
    browserHeaders(c) {
      const own = browserHeadersOf(c.req.raw);
      const host = isTrusted(peerOf(c)) ? lastOf(c.req.header('x-forwarded-host')) : undefined;
      if (host === undefined) return own;
      return { ...own, host, scheme: lastOf(c.req.header('x-forwarded-proto')) };
    },
  };
}

/** Each proxy of a chain appends its value, so only the last one is by the proxy that is trusted. */
function lastOf(list: string | undefined): string | undefined {
  return list?.split(',').at(-1)?.trim() || undefined;
}

/** The peer's address; null without a socket. */
function peerOf(c: Context): string | null {
  const env = c.env as { readonly incoming?: IncomingMessage } | undefined;
  return env?.incoming?.socket.remoteAddress ?? null;
}

export function isLoopbackAddress(address: string | null): boolean {
  return address !== null && /^(?:::1$|(?:::ffff:)?127\.)/u.test(address);
}
