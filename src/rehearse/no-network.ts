/** Records what rehearsed code would send, and answers it from a list: nothing leaves the process. */
import { AsyncLocalStorage } from 'node:async_hooks';
import dgram from 'node:dgram';
import dns from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { urlToHttpOptions } from 'node:url';
import workerThreads from 'node:worker_threads';
import { currentRun, replace, scope, type Own } from './event-time.ts';
import type { Answer } from './protocol.ts';

/** What a socket has and a stream lacks. */
const SOCKET_MEMBERS = ['setTimeout', 'setNoDelay', 'setKeepAlive', 'ref', 'unref'];

type Exchange = [received: http.IncomingMessage, response: http.ServerResponse];
type Target = Partial<Record<'host' | 'port' | 'path', string>>;

/**
 * Closes every way out that JavaScript has. Only Portaria's store keeps them. Files and processes are closed by the
 * permissions of the process, which hold in threads, too.
 */
export function closeNetwork(answers: readonly Answer[]): void {
  /** The error is made where code calls, so that it names that line. */
  function answersTo(caller: Own) {
    const refusal = errorAt(caller);
    return (method: string, url: string, body: string) => {
      currentRun()?.requests.push({ method, url, body });
      const found = answers.find((each) => (each.method ?? method) === method && matches(each.url, url));
      const declared = `{ "method": "${method}", "url": ${JSON.stringify(url)}, "status": 200 }`;
      refusal.message = `${method} ${url} is not sent in a rehearsal: add ${declared} to the list of --answers`;
      if (found === undefined) throw refusal;
      const { status = 200, body: given = '' } = found;
      if (typeof given === 'string') return { status, body: given, headers: {} };
      return { status, body: JSON.stringify(given), headers: { 'content-type': 'application/json' } };
    };
  }

  async function fetch(input: string | URL | Request, options?: RequestInit): Promise<Response> {
    const getAnswer = answersTo(fetch as Own);
    const request = new Request(input, options);
    request.signal.throwIfAborted();
    const { body, ...init } = getAnswer(request.method, request.url, await request.text());
    return new Response([204, 205, 304].includes(init.status) ? null : body, init);
  }

  const own = http.request as Own;
  /** Talks to a server at the other end of a stream, in place of a connection. */
  const requester = (protocol: string, defaultPort: number) =>
    function request(...args: unknown[]): http.ClientRequest {
      const getAnswer = answersTo(request);
      const [near, far] = duplexPair();
      for (const name of SOCKET_MEMBERS) Object.assign(near, { [name]: () => near });
      const respond = async (...[received, response]: Exchange): Promise<void> => {
        const url = `${protocol}//${received.headers.host ?? ''}${received.url ?? ''}`;
        const { status, body, headers } = getAnswer(received.method ?? '', url, await text(received));
        response.writeHead(status, headers).end(body);
      };
      const answer = (...both: Exchange) =>
        void respond(...both).catch((error: Error) => near.destroy(error));
      http.createServer(AsyncLocalStorage.bind(answer)).emit('connection', far);
      const hasUrl = typeof args[0] === 'string' || args[0] instanceof URL;
      const url = hasUrl ? urlToHttpOptions(new URL(args.shift() as string)) : {};
      const options = typeof args[0] === 'object' ? args.shift() : {};
      const stream = { protocol: 'http:', defaultPort, agent: undefined, createConnection: () => near };
      return own({ ...url, ...(options as object), ...stream }, ...args) as http.ClientRequest;
    };

  const refuse = (method: string) => (own: Own) =>
    function refused(this: unknown, ...args: unknown[]): unknown {
      if (scope.getStore() === 'own') return own.apply(this, args);
      const url = args.flat().flatMap(partOfAddress).join(' ');
      currentRun()?.requests.push({ method, url, body: '' });
      throw Object.assign(errorAt(refused), { message: `${method} ${url} is not done in a rehearsal` });
    };

  replace(globalThis, 'fetch', () => fetch);
  const requesters = [
    [http, requester('http:', 80)],
    [https, requester('https:', 443)],
  ] as const;
  for (const [module, request] of requesters) {
    const get = (...args: unknown[]) => request(...args).end();
    replace(module, 'request', () => request);
    replace(module, 'get', () => get);
  }
  replace(net.Socket.prototype, 'connect', refuse('CONNECT'));
  for (const name of ['send', 'connect']) replace(dgram.Socket.prototype, name, refuse('UDP'));
  // A thread would have a network of its own.
  replace(workerThreads, 'Worker', refuse('THREAD'));
  replace(process, 'kill', refuse('KILL'));
  const resolvers = [dns.Resolver.prototype, dns.promises.Resolver.prototype];
  for (const holder of [dns, dns.promises, ...resolvers])
    for (const name of Object.getOwnPropertyNames(holder))
      if (/^(lookup|resolve|reverse)/u.test(name)) replace(holder, name, refuse('DNS'));
  // Code that imports these by name gets the new ones, too.
  syncBuiltinESMExports();
}

function matches(pattern: string, url: string): boolean {
  if (pattern.endsWith('*')) return url.startsWith(pattern.slice(0, -1));
  return (URL.parse(pattern)?.href ?? pattern) === url;
}

/** An argument of a call that says where to: a name, a port, or the options of a connection. */
function partOfAddress(argument: unknown): readonly string[] {
  if (typeof argument === 'string' || typeof argument === 'number') return [String(argument)];
  const { host = 'localhost', port, path } = Object(argument) as Target;
  return path === undefined ? (port === undefined ? [] : [`${host}:${port}`]) : [path];
}

function errorAt(caller: Own): Error {
  const error = new Error();
  Error.captureStackTrace(error, caller);
  return error;
}
