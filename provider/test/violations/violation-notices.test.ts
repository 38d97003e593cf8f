import { expect, test } from 'vitest';
import { pdfDocument } from '../../files/pdf-document.ts';
import { readResponse } from '../kit/test-provider.ts';
import { textOfPdf } from '../kit/text-of-pdf.ts';
import { openWithViolation } from '../kit/violation-setup.ts';

async function openWithAddress(kind: 'violation-notice' | 'penalty-notice' = 'violation-notice') {
  const setup = await openWithViolation({ penalty_notice_date: '2026-03-10' });
  const { body } = await setup.ours.get(`${setup.path}/${kind}`);
  const address = String(body['data']);
  const fetchFile = (url: string) => setup.app.request(url.replace('http://provider.example', ''));
  return { ...setup, address, fetchFile, request: async (url: string) => readResponse(await fetchFile(url)) };
}

test.each([
  [
    'violation-notice',
    [
      'Notificação de Autuação',
      'Auto de infração: 5A47210983',
      'Placa: BDT4F37',
      'Data da infração: 21/02/2026',
      'Prazo para indicação do condutor: 06/04/2026',
    ],
  ],
  ['penalty-notice', ['Notificação de Penalidade', 'Valor: R$ 130,16', 'Vencimento: 11/05/2026']],
] as const)('a %s can be downloaded from its address without a key', async (kind, lines) => {
  const { address, fetchFile } = await openWithAddress(kind);

  const response = await fetchFile(address);

  expect(address).toMatch(
    new RegExp(`^http://provider\\.example/files/1/${kind}/1\\.pdf\\?expires=\\d+&signature=[\\w-]{43}$`),
  );
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/pdf');
  const text = textOfPdf(new Uint8Array(await response.arrayBuffer()));
  for (const line of lines) expect(text).toContain(line);
});

test('an address is valid for 15 minutes', async () => {
  const { address, request, fetchFile, clock } = await openWithAddress();

  clock.advance(15 * 60_000 - 1);
  expect((await fetchFile(address)).status).toBe(200);
  clock.advance(1);
  expect(await request(address)).toMatchObject({
    status: 403,
    body: { error: 'Forbidden', message: 'The URL has expired: request a new one' },
  });
});

test('rejects a forged or modified address', async () => {
  const { address, request, add } = await openWithAddress();
  await add();

  for (const forged of [
    address.replace('/1.pdf', '/2.pdf'),
    address.replace('/files/1/', '/files/2/'),
    address.replace('violation-notice', 'penalty-notice'),
    address.replace(/expires=\d/u, 'expires=9'),
    address.replace(/signature=.*/u, ''),
    `${address}A`,
  ])
    expect(await request(forged), forged).toMatchObject({ status: 403, body: { error: 'Forbidden' } });
  for (const unknown of ['/files/1/other/1.pdf', '/files/1/violation-notice/x.pdf'])
    expect(await request(unknown)).toMatchObject({ status: 404 });
});

test('each organization signs its addresses with its own key', async () => {
  const { ours, theirs, provider, path } = await openWithAddress();
  await ours.get(`${path}/violation-notice`);
  await theirs.get(`${path}/violation-notice`);

  const keys = await provider.query.selectFrom('file_keys').select('organization_id').execute();

  expect(keys).toEqual([{ organization_id: ours.organization }]);
});

test.each([
  ['violation-notice', { violation_notice_date: null }],
  ['violation-notice', { violation_notice_date: '2026-03-11' }],
  ['penalty-notice', { penalty_notice_date: null }],
])('responds 404 for a %s that is not issued: %j', async (kind, values) => {
  const { ours, path } = await openWithViolation(values);

  expect(await ours.get(`${path}/${kind}`)).toMatchObject({
    status: 404,
    body: {
      error: 'Not Available',
      message: `Traffic violation with id 1 has no ${kind.replace('-', ' ')}`,
    },
  });
});

test.each(['violation-notice', 'penalty-notice'])(
  'responds 404 for the %s of an unknown violation',
  async (kind) => {
    const { ours } = await openWithViolation();

    expect(await ours.get(`/v1/traffic-violations/77/${kind}`)).toMatchObject({
      status: 404,
      body: { error: 'Not Found', message: 'Traffic violation with id 77 not found' },
    });
  },
);

test('responds 404 for a file whose record is gone', async () => {
  const { ours, address, request } = await openWithAddress();

  await ours.remove('/v1/users/1');

  expect(await request(address)).toMatchObject({ status: 404, body: { error: 'Not Available' } });
});

test('a long document has several pages and keeps all lines', () => {
  const lines = Array.from({ length: 100 }, (_, line) => `linha ${String(line)} ${'muito '.repeat(20)}`);

  const pdf = pdfDocument({ title: 'Título', lines });

  const text = textOfPdf(pdf);
  expect(Buffer.from(pdf).toString('latin1')).toContain('/Count 5');
  for (const [index] of lines.entries()) expect(text).toContain(`linha ${String(index)} muito`);
  expect(text.match(/muito/gu)).toHaveLength(2000);
});
