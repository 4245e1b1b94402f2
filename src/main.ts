import { fileURLToPath } from 'node:url'
import { runCommand } from './cli/command-line.ts'
import { enableCompileCacheIn } from './cli/compile-cache.ts'

// A reader that has seen enough (`gateway schema | head`) is no fault.
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

// Beside the modules themselves: write access to it needs write access to the installation. Threads of units get it by
// their environment.
const compiled = enableCompileCacheIn(fileURLToPath(new URL('../.cache/compiled', import.meta.url)))

// The only file that reads process.argv and hands process.env on.
process.exitCode = await runCommand(process.argv.slice(2), {
  env: compiled === null ? process.env : { ...process.env, NODE_COMPILE_CACHE: compiled },
  // Opened on first use: most commands do not read it.
  get stdin() {
    return process.stdin
  },
  stdout: process.stdout,
  stderr: process.stderr,
  unitEntry: new URL('./unit/thread.ts', import.meta.url),
  studioPages: fileURLToPath(new URL('../studio/dist', import.meta.url)),
})
