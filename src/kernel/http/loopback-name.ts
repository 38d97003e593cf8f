import { isIPv4 } from 'node:net';

/**
 * Whether a Host header names this machine by one of its own names. DNS rebinding points a web page's name at
 * 127.0.0.1, and the browser then takes a port of this machine for the page's own server. The Host header
 * still carries that name.
 */
export function isLoopbackName(host: string): boolean {
  const name = host.replace(/:\d*$/u, '').toLowerCase();
  return name === 'localhost' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'));
}
