import { moveIndication, type IndicationMove } from '../../indications/change-indication.ts';
import { refuseDocument, signDocument, viewDocument } from '../../indications/sign-document.ts';
import { cpfs } from './people.ts';
import { openWithViolation } from './violation-setup.ts';

export const driver = { tax_id: cpfs[1] };

/** The request of an indication in flow `form`. */
export const form = {
  ...driver,
  flow: 'form',
  name: 'Marcos Vinícius Prado',
  email: 'marcos.prado@example.com',
  phone: '41999990123',
  license: '04512378901',
  id_number: '98765432',
  id_issuer: 'SESP/PR',
  transfer: false,
} as const;

/** Opens a provider with a violation and functions for its indications: move, view, sign, refuse. */
export async function openWithIndications(values?: Parameters<typeof openWithViolation>[0]) {
  const setup = await openWithViolation(values);
  const { ours, provider, path, recorded } = setup;
  const indications = `${path}/indications`;
  const signers = async () => {
    const { data } = await ours.get(`${indications}/1/document`);
    return (data['document'] as { signers: { token: string }[] }).signers.map(({ token }) => token);
  };
  return {
    ...setup,
    indications,
    signers,
    move: (status: IndicationMove, reason?: string, id = 1) =>
      provider.change(ours.organization, (change) => moveIndication(change, id, status, reason)),
    view: async (signer = 0) => {
      const token = (await signers())[signer] ?? '';
      await provider.change(ours.organization, (change) => viewDocument(change, 1, token));
    },
    sign: async (signer = 0) => {
      const token = (await signers())[signer] ?? '';
      await provider.change(ours.organization, (change) => signDocument(change, 1, token));
    },
    refuse: async (reason: string, signer = 0) => {
      const token = (await signers())[signer] ?? '';
      await provider.change(ours.organization, (change) => refuseDocument(change, 1, token, reason));
    },
    indicationEvents: async () => (await recorded()).filter(({ type }) => type.includes('.indication.')),
  };
}
