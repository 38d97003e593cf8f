/** Steps of tests that erase a person at the operators' API. */
import { expect } from 'vitest';
import { webhook } from '../console/kit/console-browser.ts';
import type { OpsSetup, Row } from './ops-setup.ts';

export const CPF = '12345678909';
export const MAIL = 'ana.prado@example.com';

/** Receives an event that names the person. */
export function receiveIndication(setup: OpsSetup, id: number, taxId = CPF): Promise<unknown> {
  return setup.receive(
    webhook('traffic-violation.indication.created', { id, tax_id: taxId, name: 'Ana Prado', email: MAIL }),
  );
}

/** Searches for a person, and returns the plan. */
export async function planErasure(setup: OpsSetup, identifiers: readonly string[]): Promise<Row> {
  const { status, body } = await setup.post('/api/erasures/plans', { identifiers });
  expect(status).toBe(200);
  return body;
}

/** The signed plan that starts the erasure. */
export const tokenOf = (run: Row): unknown => (run['plan'] as Row)['plan'];
