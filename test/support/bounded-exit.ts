// Preloaded into each test process: a process that is still running some time after its last test fails and names the handles
// that keep it alive. Without the limit, a server or timer that a failed test left open would stop the whole run.
import { isMainThread } from 'node:worker_threads'

const LIMIT = 30_000

if (isMainThread && process.env['NODE_TEST_CONTEXT'] !== undefined) {
  const { after } = await import('node:test')
  after(() => void setTimeout(fail, LIMIT).unref())
}

function fail(): never {
  const open = process.getActiveResourcesInfo().join(', ')
  console.error(`the test process did not end within ${LIMIT / 1000} s after its last test; open: ${open}`)
  process.exit(1)
}
