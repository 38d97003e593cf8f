import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { PortariaError } from '../../kernel/errors.ts';

export interface ServiceListener {
  /** The one it got, where 0 was asked for. */
  readonly port: number;
  /** Stops accepting, ends idle connections, and resolves when the requests in flight are answered. */
  close(): Promise<void>;
}

/** @throws PortariaError `misconfigured` when the address cannot be had. */
export async function listenService(app: Hono, host: string, port: number): Promise<ServiceListener> {
  const listener = getRequestListener(app.fetch);
  const server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const place = `${host}, port ${String(port)}`;
      reject(new PortariaError('misconfigured', `${place} cannot be listened on`, { cause }));
    });
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}
