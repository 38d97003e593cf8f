/** The files of a new project with handlers of one's own. test/examples runs the whole of it. */
import { dockerfile, workflow } from './deployment-files.ts';
import { serverFile, serverPackages, type Framework } from './server-file.ts';

/** What the flags of `init` choose. */
export interface ProjectChoice {
  /** Whether the files are JavaScript, not TypeScript. */
  readonly javascript: boolean;
  /** The framework of an application that receives webhooks itself. */
  readonly with?: Framework;
}

export interface ProjectFacts extends ProjectChoice {
  /** The name of the npm package. */
  readonly name: string;
  /** The dependency on this package, as npm writes it: `^1.0.0` or `file:../portaria`. */
  readonly portaria: string;
}

/** The development packages, in versions that the project is tested with. */
const devDependencies = { '@types/node': '^22.18.0', typescript: '^7.0.2' };

const program = 'node --env-file-if-exists=.env node_modules/portaria/dist/src/cli/main.js';

/** The scripts of package.json, which the other files name. */
export function projectScripts({
  javascript,
  with: framework,
}: ProjectChoice): Readonly<Record<string, string>> {
  const extension = javascript ? 'js' : 'ts';
  return {
    start: framework
      ? `node --env-file-if-exists=.env server.${extension}`
      : `${program} serve --stop-with-parent`,
    dev: `${program} dev`,
    portaria: program,
    test: `node --test "test/*.test.${extension}"`,
    ...(!javascript && { typecheck: 'tsc' }),
  };
}

/** Returns the texts of all files, by their paths with `/`. */
export function projectFiles(facts: ProjectFacts): ReadonlyMap<string, string> {
  const { name, javascript, with: framework } = facts;
  const code: readonly (readonly [string, string])[] = [
    ['handlers/overdue-charges.ts', handler],
    ['handlers/charge-status.ts', machine],
    ['test/handlers.test.ts', tests],
    ...(framework ? [['server.ts', serverFile(framework)] as const] : []),
    ['Dockerfile', dockerfile(framework !== undefined)],
  ];
  return new Map([
    ['package.json', packageJson(facts)],
    ...(javascript ? [] : [['tsconfig.json', tsconfig] as const]),
    ...(javascript ? code.map((file) => file.map(toJavaScript) as [string, string]) : code),
    ['.github/workflows/test.yml', workflow(javascript)],
    ['.env.example', environment],
    ['.env', environment],
    ['.gitignore', 'node_modules/\ndata/\n.portaria-dev.db*\n.env\n'],
    ['README.md', readme(name, javascript)],
  ]);
}

/** The only types that the files write are those of parameters named status. */
function toJavaScript(text: string): string {
  return text.replaceAll(/\.ts\b/g, '.js').replaceAll(/\(status: [^)]+\)/g, '(status)');
}

function packageJson({ name, portaria, ...choice }: ProjectFacts): string {
  const { dependencies, types } = serverPackages(choice.with);
  const content = {
    name,
    private: true,
    type: 'module',
    engines: { node: '>=22.18.0' },
    scripts: projectScripts(choice),
    dependencies: { ...dependencies, portaria },
    ...(!choice.javascript && { devDependencies: { ...types, ...devDependencies } }),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

// Node.js runs the files as they are: without enums, and with `.ts` in imports. The rest finds the most mistakes.
const tsconfig = `{
  "compilerOptions": {
    "target": "es2024",
    "module": "nodenext",
    "types": ["node"],
    "strict": true,
    "exactOptionalPropertyTypes": true,
    "noFallthroughCasesInSwitch": true,
    "noImplicitOverride": true,
    "noImplicitReturns": true,
    "noPropertyAccessFromIndexSignature": true,
    "noUncheckedIndexedAccess": true,
    "noUnusedLocals": true,
    "noUnusedParameters": true,
    "noEmit": true,
    "allowImportingTsExtensions": true,
    "erasableSyntaxOnly": true,
    "verbatimModuleSyntax": true,
    "skipLibCheck": true
  }
}
`;

const handler = `/** Reports each charge that becomes overdue. */
import { defineHandler, GiveUp } from 'portaria';

export default defineHandler({
  name: 'overdue-charges',
  on: 'charge.updated',
  async handle({ data }, { idempotencyKey, log, signal }) {
    if (data.status !== 'overdue') return;
    const url = process.env['OVERDUE_URL'];
    if (url) {
      // The key is the same for each attempt, so the other side can ignore a repeat.
      const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey };
      const body = JSON.stringify({ charge: data.id, amount: data.amount });
      const response = await fetch(url, { method: 'POST', headers, body, signal });
      if (response.status === 400) throw GiveUp('the other side rejects this charge');
      // After any other error, Portaria tries again.
      if (!response.ok) throw new Error(\`status \${response.status}\`);
    }
    log.info({ charge: data.id }, 'reported an overdue charge');
  },
});
`;

const machine = `/** Follows the status of each charge, and says once that it is paid. */
import { defineMachine } from 'portaria';

export default defineMachine({
  name: 'charge-status',
  on: ['charge.created', 'charge.updated'],
  initial: { status: 'none', changes: 0 },
  // Pure: Portaria folds all events of a charge again when one arrives late.
  evolve: (state, { data }) => {
    const status = data.status ?? state.status;
    return status === state.status ? state : { status, changes: state.changes + 1 };
  },
  effects: {
    thank: {
      when: ({ before, after }) => before.status !== 'paid' && after.status === 'paid',
      run: ({ event }, { log }) => log.info({ charge: event.data.id }, 'a charge is paid'),
    },
  },
});
`;

const tests = `import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { handlerOutcome, isGiveUp, machineSpecification, testContext, testEvent } from 'portaria/testing';
import chargeStatus from '../handlers/charge-status.ts';
import overdueCharges from '../handlers/overdue-charges.ts';

const charge = (status: 'pending' | 'overdue' | 'paid') =>
  testEvent('charge.updated', { data: { id: 7, amount: 92.41, status } });

/** Replaces the other side by one that responds with a fixed status. */
const responds = (status: number) =>
  mock.method(globalThis, 'fetch', async () => new Response(null, { status }));

beforeEach(() => {
  process.env['OVERDUE_URL'] = 'http://127.0.0.1:3000/overdue';
});
afterEach(() => mock.restoreAll());

test('an overdue charge is reported once, under the idempotency key', async () => {
  const { mock: fetch } = responds(204);
  const context = testContext({ idempotencyKey: 'e1/overdue-charges' });

  await overdueCharges.handle(charge('overdue'), context);
  await overdueCharges.handle(charge('paid'), context);

  assert.equal(fetch.callCount(), 1);
  const headers = new Headers(fetch.calls[0]?.arguments[1]?.headers);
  assert.equal(headers.get('idempotency-key'), 'e1/overdue-charges');
  assert.deepEqual(context.logged.map(({ fields }) => fields), [{ charge: 7 }]);
});

test('a charge that the other side rejects is not tried again', async () => {
  responds(400);
  assert(isGiveUp(await handlerOutcome(overdueCharges, charge('overdue'))));
  responds(503);
  assert.match(String(await handlerOutcome(overdueCharges, charge('overdue'))), /status 503/);
});

test('the machine says once that a charge is paid', () => {
  const { given } = machineSpecification(chargeStatus);
  given([charge('pending')]).when(charge('paid')).then({ status: 'paid', changes: 2 }).thenEffects('thank');
  given([charge('paid')]).when(charge('paid')).thenEffects();
});
`;

const environment = `# Every setting: node_modules/portaria/docs/configuration.md. \`npm run portaria -- doctor\` checks them.
PORTARIA_HANDLERS=./handlers

# How senders are verified. Needed before other machines can send (PORTARIA_HOST).
# PORTARIA_VERIFY=standard
# PORTARIA_SECRETS=

# Where overdue charges are reported. Empty: only logged.
OVERDUE_URL=
`;

const readme = (name: string, javascript: boolean): string => `# ${name}

Handlers of webhooks, run by [Portaria](node_modules/portaria/README.md). Node.js 22.18 or later.

    npm install
    npm test${javascript ? '' : ' && npm run typecheck'}
    npm run dev                                                  # each change starts the handlers again
    npm start                                                    # settings are in .env
    npm run portaria -- send charge.updated --set data.status=overdue
    npm run portaria -- deliveries list

A fresh clone needs \`cp .env.example .env\`. [Handlers and machines](node_modules/portaria/docs/handlers.md) has the rest.
`;
