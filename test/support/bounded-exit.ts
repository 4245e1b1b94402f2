// Preloaded into each test process: a process that is still running some time after its last test fails and names the handles
// and threads that keep it alive. Without the limit, a server or timer that a failed test left open would stop the whole run.
import { globSync, readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const LIMIT = 30_000

if (isMainThread && process.env['NODE_TEST_CONTEXT'] !== undefined) {
  const { after } = await import('node:test')
  after(() => void setTimeout(fail, LIMIT).unref())
}

function fail(): never {
  const open = [...process.getActiveResourcesInfo(), ...threads()].join(', ')
  console.error(`the test process did not end within ${LIMIT / 1000} s after its last test; open: ${open}`)
  process.exit(1)
}

/** Names of threads with the function of the kernel in which they wait: those of workers are no active resources. */
function threads(): string[] {
  return globSync('/proc/self/task/*').map((folder) => {
    const [name, wait] = ['comm', 'wchan'].map((file) => readFileSync(`${folder}/${file}`, 'utf8').trim())
    return `thread ${name} (${wait})`
  })
}
