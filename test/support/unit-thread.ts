// The thread of a unit that sends log lines to the test that started the gateway instead of standard output.
import { workerData } from 'node:worker_threads'
import type { UnitSettings } from '#contracts'
import { replaceStandardOutput } from '#logging'
import './loopback-names.ts'

const lines = new BroadcastChannel((workerData as UnitSettings).instance)
lines.unref()
replaceStandardOutput({ write: (line) => lines.postMessage(line) })

await import('../../src/unit/thread.ts')
