import { runCommand } from './cli/command-line.ts'

// A reader that has seen enough (`gateway schema | head`) is no fault.
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

// The only file that reads process.argv and hands process.env on.
process.exitCode = await runCommand(process.argv.slice(2), {
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  unitEntry: new URL('./unit/thread.ts', import.meta.url),
})
