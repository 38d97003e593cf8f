/** What all endpoints have in common, as Markdown, for the head of the reference page. */
export const apiDescription = `
Companies and drivers of a fleet, their violations, charges, licences and appeals: this is a stand-in for
the provider, by its interface specification. Whatever changes is told by webhook, too.

**Key.** Every request carries the organization's API key in \`x-api-key\`; appeals also take \`api-x-token\`.
Make one with \`portaria service keys create <organization>\`, paste it under *Authorize*, and *Execute*
calls this very provider.

**Answers.** One record is \`{ data }\`. A list is \`{ data, pagination, total }\`, read page by page with
\`pagination[page]\` and \`pagination[size]\` (25 unless said otherwise, at most 100).

**Filters** are written \`filters[<field>][<operator>]=<value>\`, and must all match. A parameter that an
endpoint does not take is refused, not ignored.

**Failures** are \`{ error, message }\`; some 404 have only \`error\`. An organization with too many streams, or
certificates to open, at a time gets 429 with \`Retry-After\`.

**Values.** Days are \`YYYY-MM-DD\`, instants ISO 8601 in UTC, amounts in reais, CPF and CNPJ without punctuation.
`.trim();
