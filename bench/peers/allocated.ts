// Preloaded into the gateway by `bench allocations`: each thread writes the bytes it has allocated to a file of its own.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getHeapStatistics } from 'node:v8'
import { threadId } from 'node:worker_threads'

const folder = process.env['BENCH_ALLOCATED']
if (folder === undefined) throw new Error('expected BENCH_ALLOCATED')
const file = join(folder, String(threadId))
setInterval(() => writeFileSync(file, String(getHeapStatistics().total_allocated_bytes)), 100).unref()
