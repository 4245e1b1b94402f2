export { acquireClient, type Client } from './client.ts'
export { answeringFailures, failureResponse, logFailure } from './failure-response.ts'
export {
  MessageConnector,
  type MessageConnectorSettings,
  type MessageRequest,
  UpgradeRefusedError,
} from './message-socket/message-connector.ts'
export type { MessageEvents, MessageSocket } from './message-socket/open-message-socket.ts'
export type { OriginStats } from './origin-pool.ts'
export type { ClientSettings } from './settings.ts'
export { UPSTREAM_ERRORS, UpstreamError, type UpstreamErrorCode } from './upstream-error.ts'
export { WebSocketClient, type WebSocketSettings } from './websocket/web-socket-client.ts'
