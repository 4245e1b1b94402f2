import type { Socket } from 'node:net'
import { DescriptorReserve } from '#contracts'

const RESERVE = new DescriptorReserve('upstream')

/** The error of the system for lack of descriptors, before none is left for files and the management port. */
class OutOfFilesError extends Error {
  override readonly name = 'OutOfFilesError'
  readonly code = 'EMFILE'

  constructor({ limit }: DescriptorReserve) {
    super(`connection: too many open files, of ${limit}; raise the limit (ulimit -n)`)
  }
}

/** Destroys a connection that would use the reserve of file descriptors. */
export function leaveDescriptors(socket: Socket, reserve: DescriptorReserve = RESERVE): void {
  const check = (): void => {
    if (reserve.has(socket)) socket.destroy(new OutOfFilesError(reserve))
  }
  // A connection to a proxy may have begun; others get their descriptor right after the event, which may be repeated.
  check()
  socket.on('connectionAttempt', () => process.nextTick(check))
}
