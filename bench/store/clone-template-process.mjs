import { cloneTemplate } from './clone-template.mjs';

/** Runs `cloneTemplate`. Arguments: the store's file, and the options as JSON. */
const [file = '', copies = '{}'] = process.argv.slice(2);
const startedAt = performance.now();
cloneTemplate(file, JSON.parse(copies));
process.stdout.write(`${JSON.stringify({ seconds: (performance.now() - startedAt) / 1_000 })}\n`);
