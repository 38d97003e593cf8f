/** Runs the verifiers of docs/sidecar.md on what `forward` sends. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { forward } from '../../handlers/forward.ts';
import type { StoredEvent } from '../../src/event/stored-event.ts';
import { testContext, testEvent } from '../../src/testing/index.ts';

/** A request as a verifier gets it; the body in base64. */
interface Request {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly secret: string;
}

interface Case extends Request {
  readonly name: string;
  readonly isSigned: boolean;
}

/** A program that reads requests from its input and prints a list of booleans. */
interface Verifier {
  readonly language: 'python' | 'go' | 'php';
  readonly command: readonly string[];
  /** Arguments that run the program's files, which lie in the working folder. */
  readonly args: readonly string[];
  readonly files: (verify: string) => Readonly<Record<string, string>>;
}

const verifiers: readonly Verifier[] = [
  {
    language: 'python',
    command: ['python3', '--version'],
    args: ['verify.py'],
    files: (verify) => ({
      'verify.py': `${verify}
import json, sys
cases = json.load(sys.stdin)
print(json.dumps([verify(c["headers"], base64.b64decode(c["body"]), c["secret"]) for c in cases]))
`,
    }),
  },
  {
    language: 'go',
    command: ['go', 'version'],
    args: ['run', 'verify.go', 'main.go'],
    files: (verify) => ({
      'verify.go': `package main\n\n${verify}`,
      'main.go': `package main

import (
	"encoding/json"
	"net/http"
	"os"
)

func main() {
	var cases []struct {
		Headers map[string]string
		Body    []byte
		Secret  string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	results := []bool{}
	for _, c := range cases {
		headers := http.Header{}
		for name, value := range c.Headers {
			headers.Set(name, value)
		}
		results = append(results, verify(headers, c.Body, c.Secret))
	}
	json.NewEncoder(os.Stdout).Encode(results)
}
`,
    }),
  },
  {
    language: 'php',
    command: ['php', '--version'],
    args: ['verify.php'],
    files: (verify) => ({
      'verify.php': `<?php
${verify}
$cases = json_decode(file_get_contents('php://stdin'), true);
$results = array_map(fn ($c) => verify($c['headers'], base64_decode($c['body']), $c['secret']), $cases);
echo json_encode($results);
`,
    }),
  },
];

const secret = `whsec_${Buffer.from('a secret of thirty-two bytes....').toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
let cases: readonly Case[];

beforeAll(async () => {
  const sent = await requestOf(Date.now());
  const late = await requestOf(Date.now() - 301_000);
  const early = await requestOf(Date.now() + 3_600_000);
  const { 'webhook-signature': signature = '', ...unsigned } = sent.headers;
  const without = (name: string) => ({
    headers: Object.fromEntries(Object.entries(sent.headers).filter(([header]) => header !== name)),
  });
  const withHeader = (name: string, value: string) => ({ headers: { ...sent.headers, [name]: value } });
  const signedBy = (name: string, isSigned: boolean, change: Partial<Request>): Case => ({
    ...{ ...sent, ...change },
    name,
    isSigned,
  });
  cases = [
    signedBy('what forward sends', true, {}),
    signedBy('one of several signatures', true, withHeader('webhook-signature', `v1,AAAA ${signature}`)),
    signedBy('a changed body', false, { body: Buffer.from('{"type":"x"}').toString('base64') }),
    signedBy('another secret', false, { secret: other }),
    signedBy('another id', false, withHeader('webhook-id', 'k3m9p2-8')),
    signedBy(
      'another time',
      false,
      withHeader('webhook-timestamp', String(Math.floor(Date.now() / 1000) - 9)),
    ),
    signedBy('an old request', false, late),
    signedBy('a request from the future', false, early),
    signedBy('no signature', false, { headers: unsigned }),
    signedBy('an empty signature', false, withHeader('webhook-signature', '')),
    signedBy('a signature without its version', false, withHeader('webhook-signature', signature.slice(3))),
    signedBy('no id', false, without('webhook-id')),
    signedBy('no time', false, without('webhook-timestamp')),
    ...['soon', '', 'NaN', 'Inf', '-1', '1e400'].map((time) =>
      signedBy(`the time ${JSON.stringify(time)}`, false, withHeader('webhook-timestamp', time)),
    ),
  ];
});

describe.each(verifiers)(
  'the verifier in $language',
  ({ language, command: [program = '', ...version], args, files }) => {
    const isMissing = spawnSync(program, version).status !== 0;
    test.skipIf(isMissing)(
      `accepts what forward signs and nothing else${isMissing ? ` (skipped: ${program} is not installed)` : ''}`,
      () => {
        const folder = mkdtempSync(join(tmpdir(), 'portaria-verifier-'));
        onTestFinished(() => {
          rmSync(folder, { recursive: true, force: true });
        });
        for (const [name, content] of Object.entries(files(documented(language))))
          writeFileSync(join(folder, name), content);

        const { stdout, stderr } = spawnSync(program, args, {
          cwd: folder,
          input: JSON.stringify(cases),
          encoding: 'utf8',
          // Go needs a place for its cache.
          env: { PATH: process.env['PATH'], HOME: process.env['HOME'] ?? folder, GOFLAGS: '-mod=mod' },
        });

        expect(stderr).toBe('');
        const verified = JSON.parse(stdout) as boolean[];
        expect(cases.map(({ name }, index) => [name, verified[index]])).toEqual(
          cases.map(({ name, isSigned }) => [name, isSigned]),
        );
      },
    );
  },
);

/** The request that `forward` sends at this time. */
async function requestOf(now: number): Promise<Request> {
  const received = Promise.withResolvers<Request>();
  const server = createServer((request, response) => {
    void request.toArray().then((chunks: Buffer[]) => {
      const headers = Object.fromEntries(
        Object.entries(request.headersDistinct).map(([name, [value = ''] = []]) => [name, value]),
      );
      received.resolve({ headers, body: Buffer.concat(chunks).toString('base64'), secret });
      response.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const handler = forward({
    url: `http://127.0.0.1:${String(port)}/`,
    secret,
    timeoutMs: 5_000,
    now: () => now,
  });
  const event = testEvent('charge.updated', { id: 'k3m9p2-7', data: { code: 'ação' } }) as StoredEvent;
  await handler.handle(event, testContext());
  server.closeAllConnections();
  server.close();
  return received.promise;
}

/** The code between `<!-- verify-… -->` marks of the document. */
function documented(language: string): string {
  const text = readFileSync(new URL('../../docs/sidecar.md', import.meta.url), 'utf8');
  const block = new RegExp(`<!-- verify-${language} -->\\s*\`\`\`\\w+\\n([^]*?)\`\`\``).exec(text)?.[1];
  if (block === undefined) throw new Error(`docs/sidecar.md has no verifier in ${language}`);
  return block;
}
