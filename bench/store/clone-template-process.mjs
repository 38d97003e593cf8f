import { cloneTemplate } from './clone-template.mjs';

/** Arguments: the store's file, and what `cloneTemplate` wants to know as JSON. */
const [file = '', copies = '{}'] = process.argv.slice(2);
const startedAt = performance.now();
cloneTemplate(file, JSON.parse(copies));
process.stdout.write(`${JSON.stringify({ seconds: (performance.now() - startedAt) / 1_000 })}\n`);
