import type { Socket } from 'node:net'
import { Channel, type ChannelParts, Heartbeat, type HeartbeatLimits, type Protocol } from '#rpc'
import { SocketPort } from './socket-port.ts'

/** Messages between two gateways, until one of them ends, stops answering, or sends what is no message. */
export function openLink<Theirs extends Protocol, Ours extends Protocol>(
  socket: Socket,
  parts: Omit<ChannelParts<Theirs, Ours>, 'onFault'>,
  limits: HeartbeatLimits,
): Channel<Theirs, Ours> {
  const channel = new Channel<Theirs, Ours>(new SocketPort(socket), { ...parts, onFault: () => socket.destroy() })
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
  return channel
}
