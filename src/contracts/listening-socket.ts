import { readlinkSync } from 'node:fs'
import type { Server } from 'node:net'

/** A listening socket of this process, which other threads may name. */
export interface ListeningSocket {
  readonly descriptor: number
  /** Its unique name; null where the system has none. A descriptor that was closed may be that of another file. */
  readonly name: string | null
}

/** The socket on which a server listens; null where it does not. */
export function listeningSocket(server: Server): ListeningSocket | null {
  const { fd } = (server as Server & { _handle?: { fd: number } | null })._handle ?? {}
  return fd === undefined || fd < 0 ? null : { descriptor: fd, name: descriptorName(fd) }
}

/** `socket:[38211]` for a socket, on Linux; null where it is not open, or on another system. */
export function descriptorName(descriptor: number): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    return null
  }
}
