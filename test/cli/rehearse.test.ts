/** `portaria rehearse`: new handlers over stored events, with nothing sent. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/kernel/time/clock.ts';
import { eventually } from '../support/eventually.ts';
import { launchProgram } from '../support/launch-program.ts';
import { cliEnvironment, violation } from './kit/cli-environment.ts';

const handler = (name: string, body: string, options = '') =>
  `export default defineHandler({ name: '${name}', on: 'traffic-violation.*', ${options} async handle(event, context) { ${body} } });`;

/** A handler that posts `body` to an address that ends in the event's id. */
const posting = (body: string, url = 'http://erp.test/tickets') =>
  handler(
    'erp',
    `await fetch('${url}/' + event.data.id, { method: 'POST', body: JSON.stringify(${body}) });`,
  );

const machine = (state: string) => `import { defineMachine } from 'portaria';
  export default defineMachine({ name: 'ticket', on: 'traffic-violation.*', initial: { status: 'none' },
    evolve: (_, { data }) => ({ status: ${state} }),
    effects: { paid: { when: ({ before, after }) => before.status !== 'paid' && after.status === 'paid', run() {} } } });`;

const alone = ['rehearse', '--handlers', 'next', '--answers', 'answers.json'];

type Code = Readonly<Record<string, string>>;

const documented =
  readFileSync(new URL('../../docs/handlers.md', import.meta.url), 'utf8').split('## Rehearse')[1] ?? '';
const [command = '', answers = ''] = [...documented.matchAll(/^```(?:sh|json)\n(.*)\n```/gmu)].map(
  ([, code]) => code,
);

/** The command of the document, which compares with other handlers. */
const against = command.split(' ').slice(2);

/** Given stored events that the handlers in the folder `handlers` have handled. */
async function given(handlers: Code, events = [violation(1), violation(1, 'paid'), violation(2)]) {
  const cli = cliEnvironment(handlers);
  await cli.seed(events);
  await cli.dispatch();
  writeFileSync(join(cli.folder, 'answers.json'), answers);
  return {
    ...cli,
    /** Rehearses other code; returns its code and what it finds, without the ids of samples. */
    async rehearse(next: Code, args: readonly string[] = alone, flags: readonly string[] = []) {
      mkdirSync(join(cli.folder, 'next'));
      for (const [name, code] of Object.entries(next))
        writeFileSync(
          join(cli.folder, 'next', `${name}.mjs`),
          `import { defineHandler } from 'portaria';\n${code}`,
        );
      const { code, rows, err } = await cli.run(...args, '--json', ...flags);
      return {
        code,
        err,
        found: rows.map(({ handler, finding, count, what }) => [handler, finding, count, what]),
      };
    },
  };
}

test('says what handlers send and run, what fails with its line, and which states change; exits with 6', async () => {
  const cli = await given({ ticket: machine('data.status') });
  const { code, err, found } = await cli.rehearse({
    ticket: machine("data.status === 'paid' ? 'paid' : 'open'"),
    erp: posting('{ status: event.data.status }'),
    strict: handler(
      'strict',
      "if (event.data.status === 'paid') throw new Error('no route for ' + event.data.id);",
    ),
    mail: handler('mail', "await fetch('http://mail.test/send');"),
    books: handler(
      'books',
      '',
      'transaction: { [Symbol.for("portaria.transaction")]: true, once() {}, check() {} },',
    ),
  });

  expect(err).toContain('3 events rehearsed. Nothing was sent.');
  expect(code).toBe(6);
  expect(found).toEqual([
    ['books', 'not rehearsed', 3, 'it needs a transaction'],
    ['erp', 'succeeds', 3, ''],
    ['erp', 'sends', 3, 'POST http://erp.test/tickets/*'],
    [
      'mail',
      'fails',
      3,
      expect.stringMatching(/GET http:\/\/mail.test\/send is not sent .*--answers.*mail\.mjs:2/),
    ],
    ['mail', 'sends', 3, 'GET http://mail.test/send'],
    ['strict', 'succeeds', 2, ''],
    ['strict', 'fails', 1, expect.stringMatching(/^Error: no route for 1 \(at .*strict\.mjs:2:\d+\)+$/)],
    ['ticket', 'succeeds', 3, ''],
    ['ticket', 'runs effect', 1, 'paid'],
    ['ticket', 'changes state', 1, 'pending → open'],
    ['ticket/paid', 'succeeds', 1, ''],
  ]);
});

test('says only what differs from other handlers, with personal data masked', async () => {
  const cli = await given({
    erp: posting('{ amount: 1, cpf: "12345678909" }'),
    ticket: machine('data.status'),
    same: handler('same', ''),
    mail: handler('mail', "await fetch('http://mail.test/' + event.data.id);"),
  });
  const { code, found } = await cli.rehearse(
    {
      erp: posting('{ amount: 2, cpf: "98765432100" }', 'http://erp.test/v2'),
      ticket: machine("data.status === 'paid' ? 'closed' : data.status"),
      same: handler('same', "if (event.data.id === 2) throw new Error('odd');"),
      mail: handler('mail', "await fetch('http://mail.test/' + event.data.id);"),
    },
    against,
  );

  expect(code).toBe(6);
  expect(found).toEqual([
    [
      'erp',
      'now sends another request',
      3,
      'request: POST http://erp.test/tickets/1 → POST http://erp.test/v2/1',
    ],
    ['erp', 'now sends another request', 3, 'body.amount: 1 → 2'],
    ['erp', 'now sends another request', 3, 'body.cpf: "<cpf>" → "<cpf>"'],
    [
      'mail',
      'fails as before',
      3,
      expect.stringMatching(/is not sent .*--answers.* \(at .*\(next.mail\.mjs:2/),
    ],
    ['same', 'equal', 2, ''],
    ['same', 'now fails', 1, expect.stringContaining('odd')],
    ['ticket', 'equal', 2, ''],
    ['ticket', 'now runs another effect', 1, 'paid → nothing'],
    ['ticket', 'now in another state', 1, 'paid → closed'],
    ['ticket/paid', 'is gone', 1, ''],
  ]);
});

test('masks names, texts, credentials and segments of addresses that may be personal, and cuts what is long', async () => {
  const way = (n: number) => {
    const bodies = ['JSON.stringify({ "Ana Silva": x, apiToken: "t" + x, note: "n".repeat(900) + x })'];
    bodies.push('"a=" + x + "&senha=abc" + x', '"<nome>Ana Silva" + x + "</nome>"');
    const send = (body: string) =>
      `await fetch('http://erp.test/Ana%20Silva/' + x, { method: 'POST', body: ${body} });`;
    return { erp: handler('erp', `const x = ${String(n)}; ${bodies.map(send).join(' ')}`) };
  };
  const cli = await given(way(7), [violation(1)]);
  const { found } = await cli.rehearse(way(8), against);

  expect(found.map(([, , , what]) => what)).toEqual([
    'request: POST http://erp.test/*/7 → POST http://erp.test/*/8',
    'body["***"]: 7 → 8',
    'body.apiToken: *** → ***',
    expect.stringMatching(/^body\.note: "n{199}… → "n{199}…$/),
    'body.a: "7" → "8"',
    'body.senha: *** → ***',
    'body: "text of 23 characters" → "text of 23 characters"',
  ]);
});

test('time and randomness are those of the event, and what still differs between two runs is noise', async () => {
  const body =
    '{ at: Date.now(), day: new Date(), draw: Math.random(), id: crypto.randomUUID(), nano: process.hrtime.bigint().toString() }';
  const cli = await given({ erp: posting(body) });
  const { code, found } = await cli.rehearse({ erp: posting(body) }, against);

  expect(code).toBe(0);
  expect(found).toEqual([
    ['erp', 'noise', 3, 'body.nano'],
    ['erp', 'equal', 3, ''],
  ]);
});

test('nothing reaches a server, by whatever way', async () => {
  const server = createServer();
  let connections = 0;
  server.on('connection', (socket) => {
    connections += 1;
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${String(port)}/`;
  const by = (name: string, code: string) => handler(name, code, 'retry: { attempts: 1 },');
  const get = `new Promise((resolve, reject) => http.get('${url}', resolve).on('error', reject))`;
  const ways = {
    fetch: by('fetch', `await fetch('${url}');`),
    http: `import http from 'node:http'; ${by('http', `await ${get};`)}`,
    socket: `import { connect } from 'node:net'; ${by('socket', `connect(${String(port)}, '127.0.0.1');`)}`,
    curl: `import { execFileSync } from 'node:child_process'; ${by('curl', `execFileSync('curl', ['${url}']);`)}`,
    spawn: `import { ChildProcess } from 'node:child_process'; ${by('spawn', `new ChildProcess().spawn({ file: 'curl', args: ['curl', '${url}'] });`)}`,
    dns: `import dns from 'node:dns'; ${by('dns', "new dns.Resolver().resolve4('erp.test', () => {});")}`,
    thread: `import { Worker } from 'node:worker_threads'; ${by('thread', `new Worker("fetch('${url}')", { eval: true });`)}`,
    file: `import { writeFileSync } from 'node:fs'; ${by('file', "writeFileSync('written', '');")}`,
    parent: by('parent', 'process.kill(process.ppid, 0);'),
    database: `import fs from 'node:fs'; ${by('database', "const file = '/proc/self/environ'; const own = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : ''; throw new Error(/PORTARIA_DATABASE=/.exec(own)?.[0] ?? process.env.PORTARIA_DATABASE ?? 'unknown');")}`,
    late: by('late', `setTimeout(() => fetch('${url}').catch(() => {}), 1);`),
    load: `await fetch('${url}').catch(() => {}); ${by('load', '')}`,
  };
  const cli = await given({}, [violation(1)]);
  const { found } = await cli.rehearse(ways);

  const failed = found.filter(([, finding]) => finding === 'fails');
  const { late, load, ...closed } = ways;
  expect(failed.map(([name]) => name)).toEqual(Object.keys(closed).sort());
  expect(failed.find(([name]) => name === 'file')?.[3]).toContain('a rehearsal writes no file');
  expect(failed.find(([name]) => name === 'database')?.[3]).toContain('Error: unknown');
  expect(existsSync(join(cli.folder, 'written'))).toBe(false);
  expect(found.filter(([, finding]) => finding === 'sends')).toEqual([
    ['dns', 'sends', 1, 'DNS erp.test'],
    ['fetch', 'sends', 1, `GET ${url}`],
    ['http', 'sends', 1, `GET ${url}`],
    ['parent', 'sends', 1, expect.stringContaining('KILL')],
    ['socket', 'sends', 1, `CONNECT 127.0.0.1:${String(port)}`],
    ['thread', 'sends', 1, expect.stringContaining('THREAD')],
  ]);
  expect(connections).toBe(0);
});

test('a handler that hangs, ends the process or blocks it fails alone', async () => {
  const cli = await given({}, [violation(1), violation(2)]);
  // The time for the handler that blocks is over at once: only its limit is 8,011 ms.
  cli.clock.after = (ms, callback) => systemClock.after(ms === 8_011 ? 0 : ms, callback);
  const { found } = await cli.rehearse({
    hangs: handler('hangs', 'if (event.data.id === 1) await new Promise(() => {});', 'timeoutMs: 10,'),
    exits: handler('exits', 'if (event.data.id === 2) process.exit(9);'),
    ticket: machine('data.status'),
    blocks: handler('blocks', 'for (;;);', 'timeoutMs: 11,'),
    stray: `import { writeSync } from 'node:fs'; ${handler('stray', "writeSync(3, '{');")}`,
    well: handler('well', ''),
  });

  expect(found).toEqual([
    ['blocks', 'fails', 1, 'the process was blocked'],
    ['blocks', 'not rehearsed', 1, 'it ended the process before'],
    ['exits', 'succeeds', 1, ''],
    ['exits', 'fails', 1, 'the process ended with 9'],
    ['hangs', 'fails', 1, expect.stringContaining('timed out after 10 ms')],
    ['hangs', 'succeeds', 1, ''],
    ['stray', 'succeeds', 2, ''],
    ['ticket', 'succeeds', 2, ''],
    // The subject of the event before the end of the process, too.
    ['ticket', 'changes state', 2, 'none → pending'],
    ['well', 'succeeds', 2, ''],
  ]);
});

test.skipIf(process.platform !== 'linux')(
  'a handler that blocks its process ends with the command',
  async () => {
    const cli = await given({});
    const blocks = handler('blocks', "process.title = 'blocked'; for (;;);");
    writeFileSync(
      join(cli.handlersFolder, 'blocks.mjs'),
      `import { defineHandler } from 'portaria';\n${blocks}`,
    );
    const { child: parent } = launchProgram(
      ['rehearse', '--since=2026-01-01', '--handlers', cli.handlersFolder],
      cli.env,
    );
    const of = (id: string, file: string) => {
      try {
        return readFileSync(`/proc/${id}/${file}`, 'utf8');
      } catch {
        return '';
      }
    };
    const child = await eventually('a handler blocks its process', () => {
      const pid = String(parent.pid);
      const id = of(pid, `task/${pid}/children`).trim();
      return of(id, 'cmdline').startsWith('blocked') ? id : undefined;
    });
    parent.kill('SIGKILL');

    // A process that nobody waits for is a zombie.
    await eventually('the process ends', () => /^(?:$|.*\) Z )/u.test(of(child, 'stat')));
  },
);

test('rehearses the events of an export without a database, a sample of them evenly spread', async () => {
  const cli = await given(
    {},
    [1, 2, 3, 4].map((id) => violation(id)),
  );
  await cli.run('events', 'export', '--file', 'export.ndjson');
  const file = ['--from', 'export.ndjson', '--sample', '2', '--database', 'none.db'];
  const { code, found } = await cli.rehearse(
    { erp: posting('{ id: event.id }', 'http://erp.test') },
    alone,
    file,
  );

  expect(code).toBe(0);
  expect(found).toEqual([
    ['erp', 'succeeds', 2, ''],
    ['erp', 'sends', 2, 'POST http://erp.test/*'],
  ]);
});

test('plain envelopes of a file are rehearsed; where nothing is, it says why and exits with 6', async () => {
  const cli = await given({ other: handler('other', '').replace('traffic-violation', 'company') }, []);
  writeFileSync(join(cli.folder, 'plain.ndjson'), JSON.stringify(violation(1)));
  writeFileSync(join(cli.folder, 'empty.ndjson'), '{ "type": 7 }');
  const from = (file: string) => ['--from', file, '--database', 'none.db'];
  const plain = await cli.rehearse({ well: handler('well', '') }, alone, from('plain.ndjson'));
  const rest = [
    await cli.run(...alone, ...from('empty.ndjson')),
    await cli.run(...alone),
    await cli.run('rehearse', '--handlers', 'handlers', ...from('plain.ndjson')),
  ];

  expect(plain).toMatchObject({ code: 0, found: [['well', 'succeeds', 1, '']] });
  expect(rest.map(({ code, err }) => [code, /ATTENTION: (.*)/u.exec(err)?.[1]])).toEqual([
    [6, 'no handler was rehearsed: no line of the file is an event that matches.'],
    [6, 'no handler was rehearsed: no event matches.'],
    [6, 'no handler was rehearsed: none takes these events.'],
  ]);
});

test('a folder that cannot be loaded, a missing database and answers that are none have their exit codes', async () => {
  const cli = await given({}, []);
  const code = async (...flags: string[]) =>
    (await cli.run('rehearse', '--handlers', 'handlers', ...flags)).code;

  const of = async (...args: string[]) => (await cli.run('rehearse', ...args)).err;
  writeFileSync(join(cli.folder, 'wrong.json'), '[{ "status": 99, "methods": "GET" }, 7]');
  const mistakes = await of('--handlers', 'handlers', '--answers', 'wrong.json');

  expect(await of('--handlers', 'nowhere')).toMatch(/--handlers: .*nowhere is not a folder/);
  expect(await code('--against', 'nowhere')).toBe(2);
  for (const each of ['answers.0.url', 'answers.0.status', 'answers.0: must be an object', 'answers.1: must'])
    expect(mistakes).toContain(each);
  expect(await code('--database', 'none.db')).toBe(3);
  expect(await code('--answers', 'portaria.db')).toBe(2);
  writeFileSync(join(cli.handlersFolder, 'broken.mjs'), 'export default 7;');
  expect(await code()).toBe(4);
  // The time to load the handlers is over at once.
  cli.clock.after = (ms, callback) => systemClock.after(ms === 120_000 ? 0 : ms, callback);
  writeFileSync(join(cli.handlersFolder, 'broken.mjs'), 'for (;;);');
  expect(await code()).toBe(4);
});
