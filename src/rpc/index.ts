export { Channel, type ChannelParts } from './channel.ts'
export { CallTimeoutError, PeerEndedError } from './errors.ts'
export { HEARTBEAT, Heartbeat, type HeartbeatLimits } from './heartbeat.ts'
export { type CallContext, call, type Handlers, notice, type Protocol, type Remote } from './protocol.ts'
