import { type ContextKey, contextKey } from '#http'

/** On a token or revocation request: its form has a `client_id` that is needed only without client authentication by header. */
export interface ClientIdField {
  readonly clientId: string
}

/**
 * The context `clientIdField`. Filters that authenticate the client by a header remove the field: OpenAM rejects both as two
 * methods in one request (RFC 6749 section 2.3). In a pushed authorization request the field is a parameter and stays.
 */
export const ClientIdFieldContext: ContextKey<ClientIdField> = contextKey<ClientIdField>('clientIdField')
