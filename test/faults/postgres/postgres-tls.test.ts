/** Given a PostgreSQL that takes TLS only: the server has to prove who it is, unless the address says otherwise. */
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import forge from 'node-forge';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { needsPostgres, unprivilegedUser } from '../../../scripts/postgres/programs.mjs';
import { startPostgresServer, type PostgresServer } from '../../../scripts/postgres/server.mjs';
import { eventually } from '../../support/eventually.ts';
import { need } from '../kit/needs.ts';
import { refusalOf } from '../kit/programs/refusal.ts';

/** Of the server's certificate. */
const HOST = 'localhost';
const DAY_MS = 86_400_000;

const folder = mkdtempSync(join(tmpdir(), 'portaria-tls-'));
const authority = join(folder, 'authority.pem');
const otherAuthority = join(folder, 'other-authority.pem');
let server: PostgresServer;

beforeAll(async () => {
  if (needsPostgres() !== undefined) return;
  const own = createAuthority();
  writeFileSync(authority, own.certificate);
  writeFileSync(otherAuthority, createAuthority().certificate);
  server = await startPostgresServer({ settings: ['fsync=off'] });
  const { certificate, key } = own.issueFor(HOST);
  writeServerFile('server.crt', certificate);
  writeServerFile('server.key', key);
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query('create database receiver');
  await client.query('alter system set ssl = on');
  writeServerFile('pg_hba.conf', 'hostssl all all all trust\n');
  await client.query('select pg_reload_conf()');
  await client.end();
  await eventually('the server takes TLS only', async () => {
    const [plain, encrypted] = [await connects(false), await connects({ rejectUnauthorized: false })];
    return !plain && encrypted;
  });
});

async function connects(ssl: false | { readonly rejectUnauthorized: false }): Promise<boolean> {
  const client = new pg.Client({ connectionString: server.url, ssl });
  client.on('error', () => undefined);
  const connected = await client.connect().then(
    () => true,
    () => false,
  );
  await client.end();
  return connected;
}

afterAll(async () => {
  rmSync(folder, { recursive: true });
  if (needsPostgres() === undefined) await server.stop();
});

beforeEach((context) => {
  need(context, 'postgres');
});

/** As PostgreSQL demands: of its user, and readable by nobody else. */
function writeServerFile(name: string, text: string): void {
  const path = join(server.data, name);
  writeFileSync(path, text, { mode: 0o600 });
  const user = unprivilegedUser();
  if (user !== undefined) chownSync(path, user.uid, user.gid);
}

function address(parameters: string, host = HOST): string {
  return `postgres://portaria@${host}:${new URL(server.url).port}/receiver?${parameters}`;
}

test.each([
  ['sslmode=verify-full', 'and the authority'],
  ['sslmode=verify-ca', 'and the authority'],
  ['sslmode=require', 'and the authority'],
  ['sslmode=prefer', 'and the authority'],
  ['sslmode=no-verify', 'without a check'],
  ['uselibpqcompat=true&sslmode=require', 'without a check'],
])('with %s %s, a store opens over TLS, without a warning of the client', async (mode, proof) => {
  const parameters = proof === 'without a check' ? mode : `${mode}&sslrootcert=${authority}`;
  const warnings: unknown[] = [];
  const warn = (warning: Error) => void warnings.push(warning);
  process.on('warning', warn);
  onTestFinished(() => void process.off('warning', warn));

  expect(await refusalOf(address(parameters))).toBeUndefined();

  expect(warnings).toEqual([]);
});

test.each([
  ['an unknown authority', () => address('sslmode=verify-full')],
  ['an unknown authority, with sslmode=require', () => address('sslmode=require')],
  ['another authority', () => address(`sslmode=verify-full&sslrootcert=${otherAuthority}`)],
  ['another host', () => address(`sslmode=verify-full&sslrootcert=${authority}`, '127.0.0.1')],
  ['another host, with verify-ca', () => address(`sslmode=verify-ca&sslrootcert=${authority}`, '127.0.0.1')],
])('a certificate of %s is refused with what to do', async (_, given) => {
  expect(await refusalOf(given())).toMatch(/certificate cannot be verified: set sslrootcert in the address/);
});

interface Issued {
  readonly certificate: string;
  readonly key: string;
}

interface Authority {
  readonly certificate: string;
  issueFor(host: string): Issued;
}

function createAuthority(): Authority {
  const keys = forge.pki.rsa.generateKeyPair(2048);
  const name = [{ name: 'commonName', value: 'An authority for tests' }];
  const create = (subject: typeof name, publicKey: forge.pki.PublicKey, extensions: object[]): string => {
    const certificate = forge.pki.createCertificate();
    certificate.publicKey = publicKey;
    certificate.serialNumber = `01${forge.util.bytesToHex(forge.random.getBytesSync(8))}`;
    certificate.validity.notBefore = new Date(Date.now() - DAY_MS);
    certificate.validity.notAfter = new Date(Date.now() + DAY_MS);
    certificate.setSubject(subject);
    certificate.setIssuer(name);
    certificate.setExtensions(extensions);
    certificate.sign(keys.privateKey, forge.md.sha256.create());
    return forge.pki.certificateToPem(certificate);
  };
  return {
    certificate: create(name, keys.publicKey, [{ name: 'basicConstraints', cA: true, critical: true }]),
    issueFor(host) {
      const own = forge.pki.rsa.generateKeyPair(2048);
      const names = [{ type: 2, value: host }];
      return {
        certificate: create([{ name: 'commonName', value: host }], own.publicKey, [
          { name: 'subjectAltName', altNames: names },
        ]),
        key: forge.pki.privateKeyToPem(own.privateKey),
      };
    },
  };
}
