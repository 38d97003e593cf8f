/**
 * Runs in a process of its own, so that making requests and answering them
 * never share an event loop: a module of this folder, its arguments as JSON,
 * its result as a line of JSON.
 */
const [module = '', load = '{}'] = process.argv.slice(2);
const { generate } = await import(new URL(module, import.meta.url).href);
process.stdout.write(`${JSON.stringify(await generate(JSON.parse(load)))}\n`);
process.exit();
