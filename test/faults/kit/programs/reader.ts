import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A separate process that fetches URLs, so that large responses do not slow down the measuring process. */
export interface Reader {
  /** Reads a response to its end. */
  read(
    url: string,
    init?: { readonly method: string; readonly body: string },
  ): Promise<{ status: number; bytes: number }>;
  end(): void;
}

const PROGRAM = `
const lines = require('node:readline').createInterface({ input: process.stdin });
lines.on('line', async (line) => {
  const { url, init } = JSON.parse(line);
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { headers, ...init });
  let bytes = 0;
  for await (const piece of response.body) bytes += piece.length;
  console.log(JSON.stringify({ status: response.status, bytes }));
});`;

export function startReader(): Reader {
  const child = spawn(process.execPath, ['-e', PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  return {
    read: (url, init) =>
      new Promise((resolve) => {
        lines.once('line', (line) => {
          resolve(JSON.parse(line) as { status: number; bytes: number });
        });
        child.stdin.write(`${JSON.stringify({ url, init })}\n`);
      }),
    end: () => void child.kill(),
  };
}
