import type { Part } from '../../src/contract/api/endpoint.ts';

/** What each part is about, in the order of the specification's Endpoints section. */
export const partDescriptions: Readonly<Record<Part, string>> = {
  Companies:
    'Companies by CNPJ, with their digital certificate, their registration with the electronic ' +
    'notification system (SNE), and the progress of their first import.',
  Users: 'Individual users by CPF, the link that lets the organization see their data, and their licence.',
  'Console users': 'People who sign in to the console, and the companies that they see there.',
  'Widget users': 'Sign-in addresses for the embedded widget.',
  'Traffic violations': 'Traffic violations with their notices and requests for payment slips.',
  'Driver indications':
    'Who drove: processed with the agency (`automated`), or by a document that is signed (`form`).',
  'Traffic violation payment slips': 'Payment slips of all traffic violations, and their files.',
  'ANTT violations': "Violations of the land transport agency's rules, and their payment slips.",
  Charges: 'Generic charges, such as fees and taxes, and their payment slips.',
  'Driver licenses': 'Drivers and their licences, looked up by CPF.',
  Appeals: 'Appeals of drivers. Pages and answers have a shape of their own here.',
};
