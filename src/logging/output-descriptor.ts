import { constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const STANDARD_OUTPUT = 1

/** Descriptor of standard output. */
interface OutputDescriptor {
  readonly descriptor: number
  /** Whether a write may block: a file, or anything that the system does not open in non-blocking mode. */
  readonly blocks: boolean
}

/** A non-blocking descriptor, if the system provides one. */
export function openOutput(): OutputDescriptor {
  // Node sets pipes and sockets to non-blocking, for all threads, when it opens its own stream on them.
  if (isMainThread) void process.stdout
  if (isRegularFile(STANDARD_OUTPUT)) return { descriptor: STANDARD_OUTPUT, blocks: true }
  if (isNonBlocking(STANDARD_OUTPUT)) return { descriptor: STANDARD_OUTPUT, blocks: false }
  try {
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK
    return { descriptor: openSync(`/proc/self/fd/${STANDARD_OUTPUT}`, flags), blocks: false }
  } catch {
    return { descriptor: STANDARD_OUTPUT, blocks: true }
  }
}

function isRegularFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile()
  } catch {
    return false
  }
}

function isNonBlocking(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'))?.[1] ?? '0'
    return (Number.parseInt(flags, 8) & constants.O_NONBLOCK) !== 0
  } catch {
    return false
  }
}
