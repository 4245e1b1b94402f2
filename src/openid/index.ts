export { Discovery, type ServerMetadata } from './discovery.ts'
export { fetchBy, ServerUnreachableError } from './fetch-by-handler.ts'
export {
  type IssuedTokens,
  type LoginAttempt,
  OpenIdClient,
  type OpenIdClientSettings,
} from './open-id-client.ts'
export { OpenIdError } from './open-id-error.ts'
