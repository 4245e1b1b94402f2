import { descriptorName, type ListeningSocket } from '#contracts'

/** Of `shutdown`: nothing is received or sent any more. */
const SHUT_RDWR = 2

const CALLS = {
  dup: { return: 'int32', arguments: ['int32'] },
  shutdown: { return: 'int32', arguments: ['int32', 'int32'] },
  close: { return: 'int32', arguments: ['int32'] },
} as const

/**
 * Stops listening sockets from outside of their thread: the system then gives new connections to the other sockets of the port. The
 * descriptors stay open: the thread closes them by their numbers when it goes on, which may be those of other files by then. Returns why
 * one may still get connections; null where none does.
 */
export function shutDown(sockets: readonly ListeningSocket[]): string | null {
  if (sockets.length === 0) return null
  const ffi = process.getBuiltinModule('node:ffi')
  if (ffi === undefined) return 'Node runs without its module node:ffi'
  try {
    using system = ffi.dlopen(null, CALLS)
    const problems = sockets.map((socket) => shutDownOne(socket, system.functions))
    return problems.find((problem) => problem !== null) ?? null
  } catch (error) {
    return (error as Error).message
  }
}

type SystemCalls = Readonly<Record<keyof typeof CALLS, (...numbers: number[]) => number>>

function shutDownOne({ descriptor, name }: ListeningSocket, { dup, shutdown, close }: SystemCalls): string | null {
  if (name === null) return 'sockets have no names on this system'
  if (descriptorName(descriptor) !== name) return null
  // The thread may go on at any time, and its descriptor become that of another file; the copy stays what it is.
  const copy = dup(descriptor)
  if (copy < 0) return 'no file descriptor is free'
  const isOpen = descriptorName(copy) === name
  const problem = isOpen && shutdown(copy, SHUT_RDWR) !== 0 ? 'the system refuses to shut a socket down' : null
  close(copy)
  return problem
}
