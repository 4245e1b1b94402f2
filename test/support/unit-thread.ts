// The thread of a unit whose log lines go to the test that started the gateway, instead of to standard output.
import fs from 'node:fs'
import { workerData } from 'node:worker_threads'
import type { UnitSettings } from '#contracts'
import './loopback-names.ts'

const standardOutput = 1
const lines = new BroadcastChannel((workerData as UnitSettings).instance)
lines.unref()

const { writeSync } = fs
fs.writeSync = ((descriptor: number, data: string | Uint8Array, ...rest: never[]): number => {
  if (descriptor !== standardOutput) return writeSync(descriptor, data as string, ...rest)
  lines.postMessage(typeof data === 'string' ? data : Buffer.from(data).toString('utf8'))
  return Buffer.byteLength(data)
}) as typeof writeSync

await import('../../src/unit/thread.ts')
