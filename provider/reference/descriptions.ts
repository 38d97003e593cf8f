/** The texts of the API reference. */
import type { Part } from '../../src/contract/api/endpoint.ts';

/** Introduction of the reference page, in Markdown: what all endpoints have in common. */
export const apiDescription = `
A stand-in for the provider, by its interface specification: companies and drivers of a fleet, their
violations, charges, licences and appeals. Every change is also sent by webhook.

**Authentication.** Every request carries the organization's API key in \`x-api-key\`; appeals also accept
\`api-x-token\`. Create a key with \`portaria provider keys create <organization>\` and paste it under
*Authorize*; *Execute* then calls this provider.

**Responses.** One record is \`{ data }\`. A list is \`{ data, pagination, total }\`, in pages selected by
\`pagination[page]\` and \`pagination[size]\` (25 by default, at most 100).

**Filters** have the form \`filters[<field>][<operator>]=<value>\`; a record must match all of them. Unknown
parameters are rejected.

**Errors** are \`{ error, message }\`; some 404 have only \`error\`. An organization with too many open streams,
or too many certificates to open, gets 429 with \`Retry-After\`.

**Values.** Days are \`YYYY-MM-DD\`, instants ISO 8601 in UTC, amounts in reais, CPF and CNPJ without punctuation.
`.trim();

/** Description of each part, in the order of the specification's Endpoints section. */
export const partDescriptions: Readonly<Record<Part, string>> = {
  Companies:
    'Companies by CNPJ, with their digital certificate, their registration with the electronic ' +
    'notification system (SNE), and the progress of their first import.',
  Users:
    'Individual users by CPF, the link that gives the organization access to their data, and their licence.',
  'Console users': 'Users of the console, and the companies that they see there.',
  'Widget users': 'Sign-in URLs for the embedded widget.',
  'Traffic violations': 'Traffic violations, their notices and requests for payment slips.',
  'Driver indications':
    'Declarations of the driver: processed by the agency (`automated`), or by a signed document (`form`).',
  'Traffic violation payment slips': 'Payment slips of all traffic violations, and their files.',
  'ANTT violations': "Violations of the land transport agency's rules, and their payment slips.",
  Charges: 'Generic charges, such as fees and taxes, and their payment slips.',
  'Driver licenses': 'Drivers and their licences, looked up by CPF.',
  Appeals: 'Appeals of drivers. Pages and responses have a different shape here.',
};
