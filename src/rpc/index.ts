export { Channel, type ChannelParts, type Port } from './channel.ts'
export { CallTimeoutError, PeerBusyError, PeerEndedError, RemoteError } from './errors.ts'
export { HEARTBEAT, Heartbeat, type HeartbeatEvents, type HeartbeatLimits } from './heartbeat.ts'
export {
  type Call,
  type CallContext,
  type CallOptions,
  call,
  type Handlers,
  type Notice,
  notice,
  type Protocol,
  type Remote,
} from './protocol.ts'
