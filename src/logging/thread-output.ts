import { threadId } from 'node:worker_threads'
import type { LogDestination } from './destination.ts'
import { OutputLock } from './output-lock.ts'
import { type LineOutput, type LogFailures, MAX_WAITING, StandardOutput } from './standard-output.ts'

type ThreadOutput = LogDestination & LogFailures & LineOutput

let output: ThreadOutput | null = null
let lock: OutputLock | null = null

/** The output of this thread. */
export function standardOutput(): ThreadOutput {
  output ??= new StandardOutput(outputLock())
  return output
}

/** Redirects the log lines of this thread. */
export function replaceStandardOutput(destination: LogDestination): void {
  const writeLines = (bytes: Uint8Array) => {
    for (const line of Buffer.from(bytes)
      .toString()
      .split(/(?<=\n)/))
      destination.write(line)
  }
  output = {
    failed: 0,
    lost: 0,
    room: MAX_WAITING,
    onDrained: () => {},
    write: (line) => destination.write(line),
    writeLines,
    send: async (bytes) => writeLines(bytes),
  }
}

/** Memory of the output lock of this process; other writing threads are started with it. */
export function sharedOutput(): SharedArrayBuffer {
  return outputLock().memory
}

/** Must be called first by a thread whose parent writes to the same output. */
export function joinOutput(memory: SharedArrayBuffer): void {
  lock = new OutputLock(threadId + 1, memory)
}

/** A thread of this process has ended, by its `threadId`. */
export function outputThreadEnded(thread: number): void {
  if (output instanceof StandardOutput) output.threadEnded(thread + 1)
}

function outputLock(): OutputLock {
  lock ??= new OutputLock(threadId + 1)
  return lock
}
