import type { Socket } from 'node:net'
import { Channel, type ChannelParts, Heartbeat, type HeartbeatLimits, type Protocol, type Remote } from '#rpc'
import { SocketPort } from './socket-port.ts'

/** The other end of a connection between two gateways. */
export interface Link<Theirs extends Protocol> {
  readonly remote: Remote<Theirs>
  /** As SocketPort has it. */
  readonly flushed: Promise<unknown> | null
}

/** Connects two gateways, until one of them ends, stops answering, or sends what is no message. */
export function openLink<Theirs extends Protocol, Ours extends Protocol>(
  socket: Socket,
  parts: Omit<ChannelParts<Theirs, Ours>, 'onFault'>,
  limits: HeartbeatLimits,
): Link<Theirs> {
  const port = new SocketPort(socket)
  const channel = new Channel<Theirs, Ours>(port, { ...parts, onFault: () => socket.destroy() })
  const heartbeat = new Heartbeat(limits, {
    ping: () => channel.ping(),
    isStarting: () => false,
    unresponsive: () => {},
    recovered: () => {},
    lost: () => socket.destroy(),
  })
  channel.onPong = () => heartbeat.answered()
  socket.once('close', () => {
    heartbeat[Symbol.dispose]()
    channel.close()
  })
  return {
    remote: channel.remote,
    get flushed() {
      return port.flushed
    },
  }
}
