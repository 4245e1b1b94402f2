export { acquireClient, type Client } from './client.ts'
export type { OriginStats } from './origin-pool.ts'
export type { ClientSettings } from './settings.ts'
export { UPSTREAM_ERRORS, UpstreamError, type UpstreamErrorCode } from './upstream-error.ts'
