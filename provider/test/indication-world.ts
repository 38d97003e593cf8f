import { moveIndication, type IndicationMove } from '../indications/change-indication.ts';
import { refuseDocument, signDocument, viewDocument } from '../indications/sign-document.ts';
import { cpfs } from './people.ts';
import { openWithViolation } from './violations.ts';

export const driver = { tax_id: cpfs[1] };

/** What flow `form` asks for. */
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

/** A violation, and what driver, agency and the signing provider do with its indications. */
export async function openForIndications(values?: Parameters<typeof openWithViolation>[0]) {
  const world = await openWithViolation(values);
  const { ours, provider, path, told } = world;
  const indications = `${path}/indications`;
  const signers = async () => {
    const { data } = await ours.get(`${indications}/1/document`);
    return (data['document'] as { signers: { token: string }[] }).signers.map(({ token }) => token);
  };
  return {
    ...world,
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
    indicationEvents: async () => (await told()).filter(({ type }) => type.includes('.indication.')),
  };
}
