// Preloaded into each test process by `npm test -- --slowest`: appends the CPU time of the process and of its child processes
// to the file that TEST_CPU_TIMES names. Linux counts child processes that ended; other systems have no such figure.
import { appendFileSync, readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const { TEST_CPU_TIMES, NODE_TEST_CONTEXT } = process.env

/** Clock ticks of `/proc` in a second (USER_HZ). */
const TICKS = 100

if (isMainThread && TEST_CPU_TIMES !== undefined && NODE_TEST_CONTEXT !== undefined) {
  process.on('exit', () => {
    const { user, system } = process.cpuUsage()
    const line = `${((user + system) / 1e6).toFixed(2)} ${childSeconds().toFixed(2)} ${process.argv[1]}\n`
    appendFileSync(TEST_CPU_TIMES, line)
  })
}

function childSeconds(): number {
  if (process.platform !== 'linux') return 0
  const stat = readFileSync('/proc/self/stat', 'latin1')
  // Fields 16 and 17, cutime and cstime; the second, in parentheses, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) / TICKS
}
