import { dereference, validate } from '@readme/openapi-parser';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { requestOfEachOperation, send } from './every-operation.ts';
import { setUpOps, type OpsSetup } from './ops-setup.ts';

type Document = Parameters<typeof validate>[0];

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}

let setup: OpsSetup;

beforeEach(async () => {
  setup = await setUpOps();
});
afterEach(() => setup.close());

async function document() {
  const { status, body } = await setup.get('/openapi.json');
  expect(status).toBe(200);
  return body as Document & { readonly paths: Record<string, Record<string, Operation>> };
}

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const described = await document();
    expect(described).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' } });
    expect(await validate(structuredClone(described))).toMatchObject({ valid: true });
  });

  it('describes every parameter and every field', async () => {
    const undescribed: string[] = [];
    const look = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [name, member] of Object.entries(value)) {
        const described = ['description', '$ref'].some((key) => Object.hasOwn(Object(member) as object, key));
        if (/\.(?:properties|parameters)$/u.test(path) && !described) undescribed.push(`${path}.${name}`);
        look(member, `${path}.${name}`);
      }
    };
    look(await document(), '');
    expect(undescribed).toEqual([]);
  });

  it('requires the token when there is one', async () => {
    const other = await setUpOps({ token: 'secret' });
    const response = await other.request('/openapi.json', { headers: { authorization: 'Bearer secret' } });
    expect(await response.json()).toMatchObject({
      security: [{ token: [] }],
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      paths: { '/healthz': { get: { security: [] } }, '/readyz': { get: { security: [] } } },
    });
    await other.close();
  });

  it('matches every response', async () => {
    const { paths } = (await dereference(structuredClone(await document()))) as Awaited<
      ReturnType<typeof document>
    >;
    const requests = await requestOfEachOperation(setup);
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    const answered: string[] = [];

    for (const [route, methods] of Object.entries(paths))
      for (const [method, operation] of Object.entries(methods)) {
        const prepared = requests[operation.operationId];
        if (prepared === undefined) throw new Error(`no request for ${method} ${route}`);
        const response = await send(setup, method, prepared);
        expect([route, response.status]).toEqual([route, 200]);
        const schema = operation.responses['200']?.content?.['application/json']?.schema;
        if (schema !== undefined) {
          const valid = ajv.validate(closed(schema), await response.json());
          expect([route, valid, ajv.errors]).toEqual([route, true, null]);
        }
        answered.push(operation.operationId);
      }
    expect(answered.sort()).toEqual(Object.keys(requests).sort());
  });
});

/** The schema, with fields that it does not name forbidden: the answer may hold no more than is described. */
function closed(schema: unknown): object {
  return JSON.parse(
    JSON.stringify(schema, (_key, value: unknown) =>
      typeof value === 'object' && value !== null && 'properties' in value
        ? { additionalProperties: false, ...value }
        : value,
    ),
  ) as object;
}
