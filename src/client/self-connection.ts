import type { Socket } from 'node:net'
import type { OwnListeners } from '#schema'

const own = new WeakSet<Socket>()

/** Flags an established connection that ends at a connector of this gateway. */
export function flagSelfConnection(socket: Socket, listeners: OwnListeners): void {
  const mark = (): void => {
    const { remoteAddress, remotePort } = socket
    if (remoteAddress !== undefined && listeners.includes(remoteAddress, remotePort ?? 0)) own.add(socket)
  }
  if (socket.connecting) socket.prependOnceListener('connect', mark)
  else mark()
}

/** Whether a connection ends at a connector of this gateway. */
export function isSelfConnection(socket: Socket): boolean {
  return own.has(socket)
}
