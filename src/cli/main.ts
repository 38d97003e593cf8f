#!/usr/bin/env node
import { runCli } from './run-cli.ts';
import { flushed, processTerminal } from './terminal/process-terminal.ts';

const code = await runCli(process.argv.slice(2), processTerminal());
await flushed();
// What a handler left open (a timer, a socket) must not keep the process.
process.exit(code);
