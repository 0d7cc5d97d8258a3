import { runCommand } from './run-command.ts';
import { systemTerminal } from './terminal.ts';

process.exitCode = await runCommand(process.argv.slice(2), systemTerminal());
