import type { Socket } from 'node:net'

/** Receives the outcome of each write to a socket. */
interface WriteOutcomes {
  written(): void
  /** Returns whether the socket is kept, to be read until its end. */
  failed(error: Error): boolean
}

type Callback = (error?: Error | null) => void

/**
 * Observes writes to a socket. Node destroys a socket whose write fails, and with it what its peer sent before it closed the
 * connection.
 */
export function interceptWrites(socket: Socket, outcomes: WriteOutcomes): void {
  const write = socket._write.bind(socket)
  const writeMany = socket._writev!.bind(socket)
  const observed =
    (callback: Callback): Callback =>
    (error) => {
      if (error === undefined || error === null) outcomes.written()
      else if (outcomes.failed(error)) return
      callback(error)
    }
  socket._write = (chunk, encoding, callback) => write(chunk, encoding, observed(callback))
  socket._writev = (chunks, callback) => writeMany(chunks, observed(callback))
}
