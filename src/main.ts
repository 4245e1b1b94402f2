import { runCommand } from './cli/command-line.ts'

// The only file that reads process.argv and hands process.env on.
process.exitCode = await runCommand(process.argv.slice(2), {
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  unitEntry: new URL('./unit/worker.ts', import.meta.url),
})
