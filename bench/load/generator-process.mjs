/**
 * Runs a load generator in a process of its own, apart from the server's event loop.
 * Arguments: a module of this folder, and its options as JSON. Prints the result as
 * a line of JSON.
 */
const [module = '', load = '{}'] = process.argv.slice(2);
const { generate } = await import(new URL(module, import.meta.url).href);
process.stdout.write(`${JSON.stringify(await generate(JSON.parse(load)))}\n`);
process.exit();
