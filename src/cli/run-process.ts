import { runCli } from './run-cli.ts';
import { flushed, processTerminal } from './terminal/process-terminal.ts';

// The program itself, once this Node.js is known to be recent enough.
const code = await runCli(process.argv.slice(2), processTerminal());
await flushed();
// A timer or socket that a handler left open must not keep the process.
process.exit(code);
