import { fileURLToPath } from 'node:url'
import { enableCompileCacheIn } from './cli/compile-cache.ts'
import { EXIT } from './cli/exit-codes.ts'

const words = process.argv.slice(2)

// SIGHUP reloads a gateway, and must not end one that starts: everything that it reloads is read later. Registered before
// other modules are loaded.
if (words[0] === 'run' || words[0] === 'demo') {
  process.on('SIGHUP', () => {})
  // Reloads other servers, and would end this one without a drain.
  process.on('SIGUSR2', () => {})
}

// Under the umask 000 of some containers, every user of the machine could change the files of an instance. Before there are
// threads, which can not set it.
process.umask(process.umask(0o077) | 0o002)

for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that has seen enough (`gateway schema | head`) is no fault.
    if (error.code === 'EPIPE') return
    // A running gateway reports it as any other uncaught error.
    if (process.listenerCount('uncaughtException') > 0) throw error
    if (output === process.stdout)
      process.stderr.write(`gateway: standard output can not be written: ${error.message}\n`)
    process.exit(EXIT.output)
  })
}

// Beside the modules themselves: write access to it needs write access to the installation. Threads of units get it by
// their environment.
const compiled = enableCompileCacheIn(fileURLToPath(new URL('../.cache/compiled', import.meta.url)))

const { runCommand } = await import('./cli/command-line.ts')

// The only file that reads process.argv and hands process.env on.
process.exitCode = await runCommand(words, {
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
