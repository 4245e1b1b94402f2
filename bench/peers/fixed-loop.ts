// Work of a fixed size, for Calibration: each line of input runs it once, and prints its CPU time in milliseconds.
import { createInterface } from 'node:readline'

const text = 'GET /bench HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: loop\r\nAccept: */*\r\n\r\n'

/** Strings, objects and a hash, as in the work of a proxy. */
function work(): number {
  let hash = 0
  for (let i = 0; i < 12_000; i++) {
    const fields = new Map<string, string>()
    for (const line of text.split('\r\n')) {
      const colon = line.indexOf(':')
      if (colon > 0) fields.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 2))
    }
    for (const [name, value] of fields) hash = (hash * 31 + name.length * value.length + i) | 0
  }
  return hash
}

let sum = 0
for await (const _ of createInterface({ input: process.stdin })) {
  const begin = process.cpuUsage()
  sum += work()
  const { user, system } = process.cpuUsage(begin)
  process.stdout.write(`${(user + system) / 1000}\n`)
}
if (!Number.isFinite(sum)) throw new Error('expected a finite hash')
